/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See payload.h.  What is relocated is known (module.mk lets nothing but addresses relative to the image pass), so this
 * is all the dynamic linking that there is. */
#include "runtime/payload.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* PF_PAYLOAD is the image's file.  Its name is global, and hidden: -flto may put it and its users into two units. */
__asm__(".section .rodata\n"
	".balign 4096\n"
	".globl pf_payload_image\n"
	".hidden pf_payload_image\n"
	"pf_payload_image:\n"
	".incbin \"" PF_PAYLOAD "\"\n"
	".previous\n");
extern const uint8_t pf_payload_image[] __attribute__((visibility("hidden")));

#define PAGE 4096u

static const Elf64_Phdr *segments(unsigned int *count)
{
	const Elf64_Ehdr *header = (const void *)pf_payload_image;

	*count = header->e_phnum;
	return (const void *)(pf_payload_image + header->e_phoff);
}

size_t pf_payload_size(void)
{
	unsigned int count;
	const Elf64_Phdr *segment = segments(&count);
	size_t size = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (segment[i].p_type == PT_LOAD && segment[i].p_vaddr + segment[i].p_memsz > size)
			size = segment[i].p_vaddr + segment[i].p_memsz;
	}
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void relocate(const struct pf_payload *p, const Elf64_Dyn *dynamic)
{
	const Elf64_Rela *relocation = NULL;
	size_t size = 0;

	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_RELA)
			relocation = (const void *)(p->bytes + dynamic->d_un.d_ptr);
		else if (dynamic->d_tag == DT_RELASZ)
			size = dynamic->d_un.d_val;
	}
	for (size_t i = 0; relocation && i < size / sizeof *relocation; i++) {
		uint64_t value = p->base + (uint64_t)relocation[i].r_addend;

		assert(ELF64_R_TYPE(relocation[i].r_info) == R_X86_64_RELATIVE);
		memcpy(p->bytes + relocation[i].r_offset, &value, sizeof value);
	}
}

int pf_payload_make(struct pf_payload *p, uint64_t base, struct pf_error *error)
{
	const Elf64_Ehdr *header = (const void *)pf_payload_image;
	const Elf64_Dyn *dynamic = NULL;
	unsigned int count;
	const Elf64_Phdr *segment = segments(&count);

	*p = (struct pf_payload) { .size = pf_payload_size(), .base = base, .words = base + header->e_entry };
	p->bytes = calloc(1, p->size);
	if (!p->bytes)
		return pf_fail(error, PF_ENOMEM, "out of memory for the recorder's image");
	for (unsigned int i = 0; i < count; i++) {
		if (segment[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(p->bytes + segment[i].p_vaddr);
		if (segment[i].p_type != PT_LOAD)
			continue;
		memcpy(p->bytes + segment[i].p_vaddr, pf_payload_image + segment[i].p_offset, segment[i].p_filesz);
		if (segment[i].p_flags & PF_X)
			p->code_end = (segment[i].p_vaddr + segment[i].p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	}
	if (dynamic)
		relocate(p, dynamic);
	return PF_OK;
}

void pf_payload_fini(struct pf_payload *p)
{
	free(p->bytes);
	*p = (struct pf_payload) { 0 };
}

struct pf_attached *pf_payload_words(const struct pf_payload *p)
{
	return (void *)(p->bytes + (p->words - p->base));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector and x87 registers that stay live for thousands of branches, checked against what they must hold: SSE, x87
 * with another rounding mode, MXCSR, and AVX and AVX-512 with their masks where the processor has them. */
#include <cpuid.h>
#include <fenv.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t work(uint32_t n)
{
	uint32_t h = n;
	for (uint32_t i = 0; i < 300; i++)
		h = (h & 1) ? h * 33 + i : h / 2 + 7 * i;
	return h;
}

static void sse(void)
{
	__m128i a = _mm_set1_epi32(1), b = _mm_set1_epi32(3), c = _mm_setzero_si128();
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t h = work(i);
		__asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c));
		c = _mm_add_epi32(_mm_mullo_epi16(c, b), _mm_xor_si128(a, _mm_set1_epi32((int)h)));
	}
	uint32_t out[4];
	memcpy(out, &c, 16);
	printf("sse %x %x\n", out[0], out[3]);
}

static void x87(void)
{
	long double sum = 1;
	fesetround(FE_UPWARD);
	for (uint32_t i = 1; i < 60000; i++) {
		sum = sum / 3 + (long double)(work(i) % 1000) / 7;
		__asm__ volatile("" : "+t"(sum));
	}
	printf("x87 %.18Lg round %d\n", sum, fegetround() == FE_UPWARD);
	fesetround(FE_TONEAREST);
}

static void mxcsr(void)
{
	double sum = 0;
	_mm_setcsr(_mm_getcsr() | 0x6000); /* towards zero */
	for (uint32_t i = 1; i < 60000; i++)
		sum = sum / 3 + (double)(work(i) % 1000) / 7;
	printf("mxcsr %.17g %x\n", sum, _mm_getcsr() & 0x6000);
	_mm_setcsr(_mm_getcsr() & ~0x6000u);
}

__attribute__((target("avx2"))) static void avx2(void)
{
	__m256i a = _mm256_set1_epi64x(0x123456789abcdef), b = a;
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t h = work(i);
		__asm__ volatile("" : "+x"(a), "+x"(b));
		b = _mm256_add_epi64(_mm256_mul_epu32(b, a), _mm256_set1_epi64x(h));
	}
	uint64_t out[4];
	memcpy(out, &b, 32);
	fprintf(stdout, "avx2 %lx %lx\n", out[0], out[3]);
}

__attribute__((target("avx512f,avx512bw"))) static void avx512(void)
{
	__m512i a = _mm512_set1_epi64(0x123456789abcdef), b = a;
	__mmask16 mask = 0xa5c3;
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t h = work(i);
		__asm__ volatile("" : "+v"(a), "+v"(b), "+k"(mask));
		b = _mm512_mask_add_epi32(b, mask, _mm512_rol_epi32(b, 3), _mm512_set1_epi32((int)h));
		mask = (__mmask16)(mask << 1 | mask >> 15);
		__asm__ volatile("vmovdqa64 %0, %%zmm29" : : "v"(b) : "xmm29");
		h = work(h);
		__asm__ volatile("vpxorq %%zmm29, %1, %0" : "=v"(a) : "v"(b) : "xmm29");
		a = _mm512_add_epi32(a, _mm512_set1_epi32((int)h | 1));
	}
	uint64_t out[8];
	memcpy(out, &b, 64);
	printf("avx512 %lx %lx\n", out[0], out[7]);
}

int main(void)
{
	sse();
	x87();
	mxcsr();
	if (__builtin_cpu_supports("avx2"))
		avx2();
	if (__builtin_cpu_supports("avx512bw"))
		avx512();
	return 0;
}

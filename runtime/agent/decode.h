#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum pf_insn_class { PF_INSN_PLAIN, PF_INSN_COND, PF_INSN_JUMP, PF_INSN_JUMP_INDIRECT, PF_INSN_CALL, PF_INSN_CALL_INDIRECT,
        PF_INSN_RET , PF_INSN_SYSCALL , PF_INSN_NATIVE };
struct pf_insn {
        uint8_t length, map, opcode, rex;
        uint8_t modrm, modrm_offset, disp_offset, disp_size , imm_offset, imm_size;
        uint8_t class;
        bool has_modrm, rip_relative, fs, gs, operand_size, address_size ;
        int64_t disp, imm;
};
bool pf_decode(const uint8_t *bytes, size_t room, struct pf_insn *insn);

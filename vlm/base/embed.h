/* embed.h - a file of the source tree as bytes of the program, which need not be
 * installed: the assembler includes it. */
#ifndef VLM_BASE_EMBED_H
#define VLM_BASE_EMBED_H

/* Defines name[], with a NUL after the file's bytes, and name_end[], where that
 * NUL is. `file`: path from the root of the tree; the Makefile has to know that
 * the object depends on it. */
#define EMBED(name, file)                            \
    __asm__(".section .rodata\n"                     \
            ".globl " #name "\n" #name ":\n"         \
            ".incbin \"" file "\"\n"                 \
            ".globl " #name "_end\n" #name "_end:\n" \
            ".byte 0\n"                              \
            ".previous\n");                          \
    extern const char name[], name##_end[];

#endif

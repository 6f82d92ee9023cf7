/* k_inline.h - what a kernel is made of: its constants reach it only inside. */
#ifndef VLM_TENSOR_BODY_K_INLINE_H
#define VLM_TENSOR_BODY_K_INLINE_H

#define INLINE static inline __attribute__((always_inline))

#endif

/* k_inline.h - forced inlining, so that a kernel's constants are known inside
 * it. */
#ifndef VLM_TENSOR_BODY_K_INLINE_H
#define VLM_TENSOR_BODY_K_INLINE_H

#define INLINE static inline __attribute__((always_inline))

#endif

/* gpu_kernels.h - all kernels as one text, in the words of gpu_lang.h.
 *
 * Included once for the device (gpu_kernels.cu) and once for a host
 * (tests/support/gpu_kernels.c).
 */
#include "vlm/gpu/gpu_lang.h"

#include "vlm/gpu/k_gpu_rows.h"

#include "vlm/gpu/k_gpu_blocks.h"

#include "vlm/gpu/k_gpu_attend.h"

#include "vlm/gpu/k_gpu_delta.h"

#include "vlm/gpu/k_gpu_eye.h"

#include "vlm/gpu/k_gpu_experts.h"

#define TYPE q4_0
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q4_1
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q5_0
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q5_1
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q8_0
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q2_k
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q3_k
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q4_k
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q5_k
#include "vlm/gpu/k_gpu_product.h"
#define TYPE q6_k
#include "vlm/gpu/k_gpu_product.h"
#define TYPE iq4_nl
#include "vlm/gpu/k_gpu_product.h"
#define TYPE iq4_xs
#include "vlm/gpu/k_gpu_product.h"
#define TYPE mxfp4
#include "vlm/gpu/k_gpu_product.h"
#define TYPE nvfp4
#include "vlm/gpu/k_gpu_product.h"
#define TYPE spread16
#include "vlm/gpu/k_gpu_product.h"
#define TYPE spread32
#include "vlm/gpu/k_gpu_product.h"

#define TYPE f16
#include "vlm/gpu/k_gpu_halves.h"
#define TYPE bf16
#include "vlm/gpu/k_gpu_halves.h"

#define TYPE f32
#include "vlm/gpu/k_gpu_floats.h"
#define TYPE f16
#include "vlm/gpu/k_gpu_floats.h"
#define TYPE bf16
#include "vlm/gpu/k_gpu_floats.h"

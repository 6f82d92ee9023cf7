/* gpu_kernels.h - all kernels in one translation unit, with the macros of
 * gpu_lang.h.
 *
 * Included once for the device (gpu_kernels.cu) and once for a host
 * (tests/support/gpu_kernels.c).
 */
#include "vlm/device/gpu/kernels/gpu_lang.h"

#include "vlm/device/gpu/kernels/k_gpu_rows.h"

#include "vlm/device/gpu/kernels/k_gpu_blocks.h"

#include "vlm/device/gpu/kernels/k_gpu_attend.h"

#include "vlm/device/gpu/kernels/k_gpu_delta.h"

#include "vlm/device/gpu/kernels/k_gpu_vision.h"

#include "vlm/device/gpu/kernels/k_gpu_experts.h"

#define TYPE q4_0
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q4_1
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q5_0
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q5_1
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q8_0
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q2_k
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q3_k
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q4_k
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q5_k
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE q6_k
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE iq4_nl
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE iq4_xs
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE mxfp4
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE nvfp4
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE spread16
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"
#define TYPE spread32
#include "vlm/device/gpu/kernels/k_gpu_matmul.h"

#define TYPE f16
#include "vlm/device/gpu/kernels/k_gpu_f16.h"
#define TYPE bf16
#include "vlm/device/gpu/kernels/k_gpu_f16.h"

#define TYPE f32
#include "vlm/device/gpu/kernels/k_gpu_floats.h"
#define TYPE f16
#include "vlm/device/gpu/kernels/k_gpu_floats.h"
#define TYPE bf16
#include "vlm/device/gpu/kernels/k_gpu_floats.h"

/* gpu_kernels.cu - the kernels for the device; clang makes PTX of it. */
#include "vlm/gpu/gpu_kernels.h"

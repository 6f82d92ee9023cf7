/* gpu_kernels.cu - the kernels for the device; clang makes PTX of it. */
#include "vlm/device/gpu/kernels/gpu_kernels.h"

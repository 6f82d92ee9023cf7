/* gpu_remedy.c - see gpu_remedy.h. */
#include "vlm/device/gpu/gpu_remedy.h"

#include <errno.h>
#include <stddef.h>

static const char too_old[] = "the driver is older than CUDA 11.0: install a "
                              "newer one (nvidia-smi tells which it is)";
static const char not_let_in[] =
    "is the module loaded (nvidia-modprobe -u), and may this user open "
    "/dev/nvidia* (groups video, render; in a service "
    "pipeline/ops/systemd/gpu.conf)?";

/* By the numbers of the driver's documentation. */
static const struct gpu_remedy known[] = {
    {2, true, false, "others have taken its memory (nvidia-smi tells who)"},
    {3, false, false,
     "the driver was opened before this process was made of another"},
    {34, true, true,
     "libcuda.so.1 is a toolkit's stub: take its folder off "
     "LD_LIBRARY_PATH, and install the driver"},
    {46, true, false,
     "another process has the GPU to itself (nvidia-smi -c DEFAULT)"},
    {101, true, true, "CUDA_VISIBLE_DEVICES names what is not there"},
    {209, true, true, too_old},
    {214, false, false, "the GPU's memory is damaged (nvidia-smi -q -d ECC)"},
    {218, true, true, too_old},
    {221, true, true,
     "libnvidia-ptxjitcompiler.so.1 is missing: install all of the driver; in "
     "a container NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
    {222, true, true, too_old},
    {223, true, true, "unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT"},
    {304, true, false, not_let_in},
    {800, true, false, not_let_in},
    {802, true, false, "start nvidia-fabricmanager"},
    {803, true, true,
     "the driver's library and its kernel module are of two versions: start "
     "the machine anew, or give the container the host's library"},
    {804, true, true,
     "take cuda-compat off LD_LIBRARY_PATH: this GPU wants the driver's own "
     "libcuda.so.1"},
    {999, true, false, not_let_in},
};

const struct gpu_remedy *gpu_remedy_of(int result, bool opening)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result && (opening || !known[i].opening))
            return &known[i];
    return NULL;
}

const char *gpu_remedy_none(int error)
{
    if (error == ENOENT)
        return "there is no " GPU_REMEDY_FILE ": load the module (nvidia-smi "
               "does); a service sees it with pipeline/ops/systemd/gpu.conf";
    if (error == EACCES || error == EPERM)
        return "this user may not open " GPU_REMEDY_FILE " (groups video, "
               "render)";
    return "CUDA_VISIBLE_DEVICES may hide some";
}

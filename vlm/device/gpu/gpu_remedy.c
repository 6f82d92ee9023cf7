/* gpu_remedy.c - see gpu_remedy.h. */
#include "vlm/device/gpu/gpu_remedy.h"

#include <errno.h>
#include <stddef.h>

static const char too_old[] = "the driver is older than CUDA 11.0: install a "
                              "newer one (nvidia-smi shows the version)";
static const char not_let_in[] =
    "check that the kernel module is loaded (nvidia-modprobe -u) and that this "
    "user can open /dev/nvidia* (groups video, render; for a service see "
    "pipeline/ops/systemd/gpu.conf)";

/* Error numbers are those of the driver's documentation. */
static const struct gpu_remedy known[] = {
    {2, true, false, "other programs use its memory (nvidia-smi lists them)"},
    {3, false, false, "the driver was opened before this process was forked"},
    {34, true, true,
     "libcuda.so.1 is the toolkit's stub: remove its folder from "
     "LD_LIBRARY_PATH, and install the driver"},
    {46, true, false,
     "another process uses the GPU exclusively (nvidia-smi -c DEFAULT)"},
    {101, true, true,
     "CUDA_VISIBLE_DEVICES names a device that does not exist"},
    {209, true, true, too_old},
    {214, false, false, "the GPU's memory has errors (nvidia-smi -q -d ECC)"},
    {218, true, true, too_old},
    {221, true, true,
     "libnvidia-ptxjitcompiler.so.1 is missing: install the complete driver; "
     "in a container set NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
    {222, true, true, too_old},
    {223, true, true, "unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT"},
    {304, true, false, not_let_in},
    {800, true, false, not_let_in},
    {802, true, false, "start nvidia-fabricmanager"},
    {803, true, true,
     "the driver's library and its kernel module have different versions: "
     "reboot, or give the container the host's library"},
    {804, true, true,
     "remove cuda-compat from LD_LIBRARY_PATH: this GPU needs the driver's "
     "own libcuda.so.1"},
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
        return GPU_REMEDY_FILE " does not exist: load the kernel module (run "
                               "nvidia-smi); a service also needs "
                               "pipeline/ops/systemd/gpu.conf";
    if (error == EACCES || error == EPERM)
        return "this user has no access to " GPU_REMEDY_FILE " (groups "
               "video, render)";
    return "CUDA_VISIBLE_DEVICES can hide devices";
}

/* cpu_device.h - the CPU as a device (device.h).
 *
 * Rows of a pass, states and images are in host memory; a thread pool does the
 * work.
 */
#ifndef VLM_DEVICE_CPU_CPU_DEVICE_H
#define VLM_DEVICE_CPU_CPU_DEVICE_H

#include "vlm/device/device.h"

extern const struct device_api cpu_device_api;

#endif

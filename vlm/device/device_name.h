/* device_name.h - names of devices in configuration: cpu, cuda:N, auto. */
#ifndef VLM_DEVICE_DEVICE_NAME_H
#define VLM_DEVICE_DEVICE_NAME_H

enum {
    DEVICE_NAME_CPU = -1,
    DEVICE_NAME_AUTO = -2, /* the first usable GPU, else the CPU */
    DEVICE_NAME_BAD = -3
};

/* N of "cuda:N" (0 to 63), or one of the above; NULL and "" are the CPU. */
int device_name_read(const char *name);

#endif

/* usual_settings.h - settings of stages for tests, with the limits of a new platen.conf
 * and the platen-raster beside this test program. */
#ifndef TESTS_UNIT_STAGES_USUAL_SETTINGS_H
#define TESTS_UNIT_STAGES_USUAL_SETTINGS_H

#include "stages/document/settings.h"

struct settings usual_settings(void);

#endif

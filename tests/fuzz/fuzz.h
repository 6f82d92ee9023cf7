/* fuzz.h - what the fuzz targets share with the replay of their seeds.
 *
 * A target is a function that takes any bytes and ends the process (assert, a
 * sanitizer) when something is wrong. entry.c hands it to libFuzzer;
 * `make test` runs it over tests/fuzz/seeds/NAME/ and over what the seeds
 * become when single bytes change.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int completion_fuzz(const uint8_t *data, size_t size);
int exif_fuzz(const uint8_t *data, size_t size);
int folder_fuzz(const uint8_t *data, size_t size);
int grammar_fuzz(const uint8_t *data, size_t size);
int invoice_fuzz(const uint8_t *data, size_t size);
int json_fuzz(const uint8_t *data, size_t size);
int annotate_fuzz(const uint8_t *data, size_t size);
int mail_fuzz(const uint8_t *data, size_t size);
int name_fuzz(const uint8_t *data, size_t size);
int picture_fuzz(const uint8_t *data, size_t size);
int pdf_fuzz(const uint8_t *data, size_t size);
int layer_fuzz(const uint8_t *data, size_t size);
int raster_fuzz(const uint8_t *data, size_t size);
int messages_fuzz(const uint8_t *data, size_t size);
int model_server_fuzz(const uint8_t *data, size_t size);
int safetensors_fuzz(const uint8_t *data, size_t size);
int schema_fuzz(const uint8_t *data, size_t size);
int ocr_fuzz(const uint8_t *data, size_t size);
int ocr_models_fuzz(const uint8_t *data, size_t size);
int words_fuzz(const uint8_t *data, size_t size);
int unfence_fuzz(const uint8_t *data, size_t size);
int xml_fuzz(const uint8_t *data, size_t size);

/* Runs `target` over every file of tests/fuzz/seeds/<name> and mutants of
 * them; returns how many texts were tried. */
int fuzz_replay(const char *name,
                int (*target)(const uint8_t *data, size_t size));

#endif

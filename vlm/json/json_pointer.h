/* json_pointer.h - JSON pointers (RFC 6901): writing and resolving.
 *
 * "/items/0/a~1b" is the member "a/b" of the first element of "items". A key is
 * escaped when it is added; a token is the text between two slashes, still
 * escaped, and is compared and resolved only here.
 */
#ifndef VLM_JSON_JSON_POINTER_H
#define VLM_JSON_JSON_POINTER_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

/* Appends "/" and the key, escaped. */
void json_pointer_add(struct buf *out, const char *key);

/* Appends "/" and the index of an array's element. */
void json_pointer_add_index(struct buf *out, long long index);

/* Appends the step from `container` to `child`, its member or element number
 * index. */
void json_pointer_add_child(struct buf *out, const cJSON *container,
                            const cJSON *child, long long index);

/* Takes the next token from *at; false, with *at unchanged, at the end or if
 * *at does not continue with a slash. */
bool json_pointer_next(const char **at, struct span *token);

/* The key of the token, unescaped, in the arena. */
const char *json_pointer_text(struct span token, struct arena *arena);

/* The token as an index, or -1: digits without a leading zero, nine at most. */
int json_pointer_index(struct span token);

/* The size of the pointer up to and with the last index that something follows: the
 * element of an array that the value is in; 0: none. */
size_t json_pointer_row_size(const char *pointer);

/* The member or element of that name, or NULL. */
const cJSON *json_pointer_step(const cJSON *value, struct span token);

/* The value at the end of the pointer, or NULL. "" is the value itself. */
const cJSON *json_pointer_find(const cJSON *value, const char *pointer);

#endif

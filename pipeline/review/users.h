/* users.h - who may come in from another machine: names and the hashes of their
 * passwords, of a file.
 *
 *   # a line for each: NAME:HASH
 *   ann:$y$j9T$...          yescrypt (mkpasswd -m yescrypt)
 *   bob:$6$...              SHA-512 (openssl passwd -6)
 *
 * A password that was right once is known again without the cost of its hash. After a
 * wrong one, no hash is computed for that user name from that client address for a
 * second: guessing takes time, and others can still log in.
 */
#ifndef PIPELINE_REVIEW_USERS_H
#define PIPELINE_REVIEW_USERS_H

#include "vlm/base/err.h"

struct users;

enum users_verdict { USERS_OK, USERS_WRONG, USERS_LATER };

/* Reads the file, which nobody but its owner and group may read, nor anybody but
 * its owner write. FAIL: ERR_CONFIG with the line; as file_map_read. NULL then. */
struct users *users_open(const char *path, struct err *err);
void users_close(struct users *u); /* NULL is fine */

/* Is it their password? *found is their name then, valid as long as `u` is open.
 * Takes as long for a name that is unknown. `client`: the address that asks, as
 * text. USERS_LATER: a password from there was wrong less than a second ago. */
enum users_verdict users_check(struct users *u, const char *client,
                               const char *name, const char *password,
                               const char **found);

#endif

/* users.h - who may come in from another machine: names and the hashes of their
 * passwords, of a file.
 *
 *   # a line for each: NAME:HASH
 *   ann:$y$j9T$...          yescrypt (mkpasswd -m yescrypt)
 *   bob:$6$...              SHA-512 (openssl passwd -6)
 *
 * A password that was right once is known again without the cost of its hash. After a
 * wrong one nobody's hash is computed for a while, so that guessing takes time and
 * the page goes on for those who are in.
 */
#ifndef PIPELINE_REVIEW_USERS_H
#define PIPELINE_REVIEW_USERS_H

#include "vlm/base/err.h"

struct users;

enum users_verdict { USERS_OK, USERS_WRONG, USERS_LATER };

/* Reads the file, which nobody but its owner and group may read, nor anybody but
 * its owner write. FAIL: ERR_CONFIG with the line; as map_read. NULL then. */
struct users *users_open(const char *path, struct err *err);
void users_close(struct users *u); /* NULL is fine */

/* Is it their password? *name is theirs then, for as long as `u` is open. Takes as
 * long for a name that is unknown. USERS_LATER: somebody was wrong just now. */
enum users_verdict users_check(struct users *u, const char *name,
                               const char *password, const char **found);

#endif

/* users.h - users for connections from other machines: a file of names,
 * password hashes and roles.
 *
 *   # one line per user: NAME:HASH, or NAME:HASH:ROLE (upload, review, admin);
 *   # without a role it is review
 *   ann:$y$j9T$...          yescrypt (mkpasswd -m yescrypt)
 *   bob:$6$...              SHA-512 (openssl passwd -6)
 *
 * A password that was right once is recognised again without computing its
 * hash. After a wrong one, no hash is computed for that user name from that
 * client address for a second: guessing takes time, and others can still log
 * in.
 */
#ifndef PIPELINE_REVIEW_USERS_H
#define PIPELINE_REVIEW_USERS_H

#include "pipeline/review/request.h"

struct users;

enum users_verdict { USERS_OK, USERS_WRONG, USERS_LATER };

/* Reads the file, which only its owner and group may read and only its owner
 * may write. FAIL (returns NULL): ERR_CONFIG with the line; as
 * file_map_read. */
struct users *users_open(const char *path, struct err *err);
void users_close(struct users *u); /* NULL: does nothing */

/* Checks a password. USERS_OK: *found is the name, valid while `u` is open, and
 * *role the role.
 * USERS_LATER: a password was wrong less than a second ago, for this name from
 * this address. An unknown name takes as long as a known one. `client`: the
 * client's address as text. */
enum users_verdict users_check(struct users *u, const char *client,
                               const char *name, const char *password,
                               const char **found, enum request_role *role);

#endif

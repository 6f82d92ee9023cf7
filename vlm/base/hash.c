/* hash.c - see hash.h. */
#include "vlm/base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

#include "vlm/base/arena.h"

static struct hash hash_hex(const unsigned char digest[static 32])
{
    struct hash h;
    for (int i = 0; i < 32; i++)
        snprintf(h.hex + 2 * i, 3, "%02x", digest[i]);
    return h;
}

struct hash hash_bytes(struct span bytes)
{
    unsigned char digest[32] = {0};
    if (!EVP_Digest(bytes.data, bytes.size, digest, NULL, EVP_sha256(), NULL))
        mem_exhausted(0); /* nothing else can go wrong with SHA-256 */
    return hash_hex(digest);
}

struct hash hash_fd(int fd, struct err *err)
{
    unsigned char digest[32] = {0};
    if (err_failed(err)) return hash_hex(digest);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    unsigned char block[65536];
    for (off_t at = 0; good;) {
        ssize_t n = pread(fd, block, sizeof block, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) err_errno(err, "cannot be read");
        if (n <= 0) break;
        good = EVP_DigestUpdate(context, block, (size_t)n);
        at += n;
    }
    if (!good || !EVP_DigestFinal_ex(context, digest, NULL)) mem_exhausted(0);
    EVP_MD_CTX_free(context);
    return hash_hex(digest);
}

/* page_progress.c - see page_progress.h. */
#include "pipeline/spool/page_progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum { NOTE_SIZE = 256, PAGES_MOST = 1 << 30 };

void page_progress_write(const struct folder *f,
                         const struct page_progress *pace)
{
    char text[NOTE_SIZE + 1];
    int n = snprintf(text, sizeof text,
                     "{\"stage\":\"%.23s\",\"page\":%d,\"pages\":%d,"
                     "\"read\":%d,\"kept\":%d,\"per_minute\":%.3f}",
                     pace->stage, pace->page, pace->n_page, pace->n_read,
                     pace->n_kept, pace->per_minute);
    if (n < 0 || n >= NOTE_SIZE) return;
    /* of constant length, so that a reader never sees a part of it */
    memset(text + n, ' ', NOTE_SIZE - (size_t)n);
    text[NOTE_SIZE - 1] = '\n';
    int fd = openat(f->fd, SPOOL_PACE,
                    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return;
    ssize_t put = pwrite(fd, text, NOTE_SIZE, 0);
    (void)put; /* an incomplete file is ignored */
    close(fd);
}

static double age_of(int folder_fd)
{
    struct stat st;
    if (fstatat(folder_fd, SPOOL_PACE, &st, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    double written =
        (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec / 1e9;
    double age = clock_utc_fine() - written;
    return age > 0 ? age : 0;
}

static int pages_of(const cJSON *o, const char *key)
{
    long long value = json_get_integer(o, key);
    return value > 0 && value < PAGES_MOST ? (int)value : 0;
}

void page_progress_read(int folder_fd, struct page_progress *pace)
{
    cJSON *o = spool_read_json(folder_fd, SPOOL_PACE, SPOOL_JSON_MAX);
    const cJSON *rate = json_get(o, "per_minute");
    *pace = (struct page_progress){.page = pages_of(o, "page"),
                                   .n_page = pages_of(o, "pages"),
                                   .n_read = pages_of(o, "read"),
                                   .n_kept = pages_of(o, "kept"),
                                   .age_s = age_of(folder_fd)};
    double per_minute =
        cJSON_IsNumber(rate) ? strtod(json_number(rate), NULL) : 0;
    if (per_minute > 0 && per_minute < PAGES_MOST)
        pace->per_minute = per_minute;
    snprintf(pace->stage, sizeof pace->stage, "%s",
             json_get_text_or_empty(o, "stage"));
    cJSON_Delete(o);
}

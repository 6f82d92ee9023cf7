/* page_files.h - the files of the page, as they lie in this folder, in the
 * program itself: an installation needs no others. */
#ifndef PIPELINE_REVIEW_PAGE_PAGE_FILES_H
#define PIPELINE_REVIEW_PAGE_PAGE_FILES_H

struct page_file {
    const char *path; /* as it is asked for: "/app.js" */
    const char *type;
    const char *text, *end;
};

/* The file of that path, or NULL. */
const struct page_file *page_files_find(const char *path);

#endif

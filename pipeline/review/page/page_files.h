/* page_files.h - the files of this folder, embedded in the program, so that
 * they need not be installed. */
#ifndef PIPELINE_REVIEW_PAGE_PAGE_FILES_H
#define PIPELINE_REVIEW_PAGE_PAGE_FILES_H

struct page_file {
    const char *path; /* of the request: "/app.js" */
    const char *type;
    const char *text, *end;
};

/* The file of that path, or NULL. */
const struct page_file *page_files_find(const char *path);

#endif

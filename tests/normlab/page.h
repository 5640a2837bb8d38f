/* SPDX-License-Identifier: MIT */
/* Reads HTML that must be well-formed: every element closed in order, every attribute quoted, every entity known. */
#ifndef NORMLAB_TEST_PAGE_H
#define NORMLAB_TEST_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Fails the test where the page is not well-formed, an id comes twice, or a link within the page leads nowhere.
 * Returns the number of elements. */
size_t ck_page(const char *html);
/* Whether the page names anything that a browser would fetch. */
bool page_fetches(const char *html);

#endif

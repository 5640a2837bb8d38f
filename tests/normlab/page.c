/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#define DEPTH 64
#define NAME 32

struct page {
    const char *at;
    char open[DEPTH][NAME];
    size_t depth, elements;
};

static void read_name(struct page *p, char *ret_name)
{
    size_t size = 0;
    while (isalnum((unsigned char)p->at[size]) || p->at[size] == '-' || p->at[size] == ':')
        size++;
    ck_assert_msg(size > 0 && size < NAME, "no name at: %.40s", p->at);
    memcpy(ret_name, p->at, size);
    ret_name[size] = '\0';
    p->at += size;
}

static void read_entity(struct page *p)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(p->at, known[i], strlen(known[i])) == 0) {
            p->at += strlen(known[i]);
            return;
        }
    ck_abort_msg("a bare & at: %.40s", p->at);
}

static void read_attribute(struct page *p)
{
    char name[NAME];
    read_name(p, name);
    ck_assert_msg(strncmp(p->at, "=\"", 2) == 0, "attribute %s is not quoted", name);
    for (p->at += 2; *p->at != '"';) {
        ck_assert_msg(*p->at != '<' && *p->at != '\0', "attribute %s has no end", name);
        if (*p->at == '&')
            read_entity(p);
        else
            p->at++;
    }
    p->at++;
}

/* Styles are no markup. */
static void skip_style(struct page *p)
{
    const char *end = strstr(p->at, "</style>");
    ck_assert(end != NULL);
    for (const char *c = p->at; c < end; c++)
        ck_assert(*c != '<' && *c != '&');
    p->at = end;
}

static void read_tag(struct page *p)
{
    char name[NAME];
    p->at++;
    if (*p->at == '/') {
        p->at++;
        read_name(p, name);
        ck_assert_msg(p->depth > 0 && strcmp(p->open[p->depth - 1], name) == 0, "</%s> closes <%s>", name,
                      p->depth > 0 ? p->open[p->depth - 1] : "nothing");
        p->depth--;
        ck_assert(*p->at++ == '>');
        return;
    }
    read_name(p, name);
    p->elements++;
    while (*p->at == ' ') {
        p->at++;
        read_attribute(p);
    }
    if (strncmp(p->at, "/>", 2) == 0) {
        p->at += 2;
        return;
    }
    ck_assert_msg(*p->at == '>', "<%s has no end: %.40s", name, p->at);
    p->at++;
    ck_assert(p->depth < DEPTH);
    strcpy(p->open[p->depth++], name);
    if (strcmp(name, "style") == 0)
        skip_style(p);
}

/* Every href="#x" has its id="x", and no id comes twice. */
static void check_links(const char *html)
{
    for (const char *at = html; (at = strstr(at, " href=\"#")) != NULL; at += 8) {
        char id[64] = " id=\"";
        strncat(id, at + 8, strcspn(at + 8, "\"") + 1);
        ck_assert_msg(strstr(html, id) != NULL, "a link leads nowhere:%s", id);
    }
    for (const char *at = html; (at = strstr(at, " id=\"")) != NULL; at += 5) {
        char id[64] = "";
        strncat(id, at, 5 + strcspn(at + 5, "\"") + 1);
        ck_assert_msg(strstr(at + 5, id) == NULL, "twice:%s", id);
    }
}

size_t ck_page(const char *html)
{
    struct page p = {.at = html};
    ck_assert(strncmp(html, "<!DOCTYPE html>\n", 16) == 0);
    for (p.at += 16; *p.at != '\0';) {
        if (*p.at == '<')
            read_tag(&p);
        else if (*p.at == '&')
            read_entity(&p);
        else
            p.at++;
    }
    ck_assert_msg(p.depth == 0, "<%s> is not closed", p.depth > 0 ? p.open[p.depth - 1] : "");
    check_links(html);
    return p.elements;
}

bool page_fetches(const char *html)
{
    static const char *const words[] = {"<script", "<img", "src=", "@import", "url(", "href=\"http", "href=\"/"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(html, words[i]) != NULL)
            return true;
    return false;
}

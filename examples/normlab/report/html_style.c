/* SPDX-License-Identifier: MIT */
#include "html.h"

/* From paper to ink through sea green: lightness falls all the way, so that it survives a grey printer. */
static const unsigned char stops[][3] = {
    {0xf6, 0xf8, 0xf1}, {0xc4, 0xe2, 0xd0}, {0x78, 0xbe, 0xb4},
    {0x36, 0x8d, 0x9f}, {0x22, 0x57, 0x80}, {0x1b, 0x23, 0x4c},
};
#define STOP_COUNT (sizeof stops / sizeof stops[0])

static void colours(struct buffer *out)
{
    for (size_t k = 0; k < HTML_STEPS; k++) {
        size_t at = k * (STOP_COUNT - 1) / (HTML_STEPS - 1);
        at = at > STOP_COUNT - 2 ? STOP_COUNT - 2 : at;
        double part = (double)k * (double)(STOP_COUNT - 1) / (HTML_STEPS - 1) - (double)at;
        unsigned rgb[3];
        for (size_t i = 0; i < 3; i++)
            rgb[i] = (unsigned)((1 - part) * stops[at][i] + part * stops[at + 1][i] + 0.5);
        buffer_format(out, ".k%zu{background:#%02x%02x%02x;color:#%s}\n", k, rgb[0], rgb[1], rgb[2],
                      k * 2 > HTML_STEPS ? "fff" : "16202c");
    }
}

static const char base_style[] =
    ":root{--ink:#16202c;--soft:#56626f;--line:#d9dfe3;--paper:#fff;--wash:#f5f7f6;--accent:#22577f}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',"
    "'DejaVu Sans',sans-serif}\n"
    "main{max-width:1180px;margin:0 auto;padding:2rem 1.25rem 4rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.3rem;margin:2.6rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1.02rem;margin:1.6rem 0 .4rem}\n"
    "p,ul,dl{max-width:46rem;margin:.5rem 0}\n"
    "ul{padding-left:1.2rem}\nli{margin:.25rem 0}\n"
    "a{color:var(--accent);text-decoration:none}\na:hover,a:focus{text-decoration:underline}\n"
    "code,.mono{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.88em;"
    "overflow-wrap:anywhere}\n"
    ".lead{color:var(--soft);margin:0 0 1.4rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;max-width:none;"
    "margin:1.2rem 0;padding:0}\n"
    ".facts div{background:var(--wash);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}\n"
    ".facts dt{color:var(--soft);font-size:.82rem;line-height:1.3}\n"
    ".facts dd{margin:.15rem 0 0;font-size:1.45rem;line-height:1.2;font-weight:600;"
    "font-variant-numeric:tabular-nums}\n"
    ".facts dd.unit{font-size:.82rem;font-weight:400;color:var(--soft);margin:0}\n"
    ".beside{display:grid;grid-template-columns:minmax(0,46rem) minmax(0,24rem);gap:1rem 3rem}\n"
    ".profile{margin:0;break-inside:avoid}.profile svg{width:100%;max-width:30rem;height:auto;display:block}\n"
    ".profile text{font-size:11px;fill:var(--soft)}\n"
    ".profile line{stroke:var(--line)}\n"
    ".profile circle{stroke:#fff;stroke-width:1}\n"
    ".profile circle:hover{stroke:var(--ink);stroke-width:2}\n"
    ".profile ul{list-style:none;padding:0;font-size:.78rem;color:var(--soft)}\n"
    "@media(max-width:900px){.beside{display:block}.profile{margin:1.4rem 0}}\n";

static const char table_style[] =
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    ".wide{overflow-x:auto;margin:.8rem 0}\n"
    ".list{font-size:.86rem;line-height:1.35;width:100%}\n"
    ".list th,.list td{padding:.28rem .6rem;text-align:right;white-space:nowrap}\n"
    ".list thead th{position:sticky;top:0;background:var(--paper);border-bottom:2px solid var(--line);"
    "font-weight:600;vertical-align:bottom}\n"
    ".list thead small{display:block;font-weight:400;color:var(--soft)}\n"
    ".list tbody tr{border-bottom:1px solid var(--line)}\n"
    ".list tbody tr:hover{background:var(--wash)}\n"
    ".list tbody tr.first{border-top:2px solid var(--line)}\n"
    ".list tr:target{background:#fff3c4}\n"
    ".list th:first-child{text-align:left;position:sticky;left:0;background:inherit;font-weight:600}\n"
    ".list tbody tr{background:var(--paper)}\n"
    ".list td.k{border-radius:0}\n"
    ".keys{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}\n"
    ".keys dt{font-weight:600}\n.keys dd{margin:0;min-width:0;overflow-wrap:anywhere}\n"
    "@media(max-width:560px){.keys{display:block}.keys dd{margin:0 0 .5rem}main{padding:1.2rem .9rem 3rem}"
    "h1{font-size:1.5rem}.facts{grid-template-columns:1fr 1fr;gap:.5rem}}\n";

static const char map_style[] =
    ".maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--map)),1fr));gap:1.6rem 2rem;"
    "margin:1rem 0}\n"
    ".maps figure{margin:0;min-width:0;break-inside:avoid}\n"
    "figcaption{font-weight:600;margin-bottom:.35rem;line-height:1.3}\n"
    "figcaption small{display:block;font-weight:400;color:var(--soft)}\n"
    "@media(min-width:800px){.maps figcaption small{min-height:2.6em}}\n"
    ".map{width:100%;max-width:var(--most);table-layout:fixed;border-collapse:separate;border-spacing:2px;"
    "margin-left:-2px;font-size:.78rem}\n"
    ".map th{font-weight:400;color:var(--soft);padding:0;text-align:center}\n"
    ".map .l{width:1.9rem;text-align:right;padding-right:.35rem}\n"
    ".map td{padding:0;text-align:center;border-radius:3px;height:1.75rem}\n"
    ".map td a{display:block;color:inherit;line-height:1.75rem;border-radius:3px;white-space:nowrap}\n"
    ".map td a:hover,.map td a:focus{outline:2px solid var(--ink);text-decoration:none}\n"
    ".dense .map{border-spacing:1px}\n.dense .map td{border-radius:1px;height:1rem}\n"
    ".dense .map td a{line-height:1rem}\n"
    ".dense .map td span,.dense .map thead{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%)}\n"
    ".scale{display:flex;align-items:center;gap:.5rem;font-size:.78rem;color:var(--soft);margin-top:.3rem}\n"
    ".scale span.bar{display:flex;width:9rem;height:.6rem;border-radius:.3rem;overflow:hidden}\n"
    ".scale i{flex:1}\n"
    "@media print{@page{margin:14mm}body{font-size:10.5pt}main{max-width:none;padding:0}"
    ".beside{grid-template-columns:3fr 2fr;gap:1rem}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
    ".wide{overflow:visible}.list{font-size:7.2pt}.list th,.list td{padding:.15rem .3rem;position:static!important}"
    ".list thead th{white-space:normal}a{color:inherit}.list tr{break-inside:avoid}h2,h3{break-after:avoid}}\n";

void html_style(struct buffer *out)
{
    buffer_text(out, "<style>\n");
    buffer_text(out, base_style);
    buffer_text(out, table_style);
    buffer_text(out, map_style);
    colours(out);
    buffer_text(out, "</style>\n");
}

/* SPDX-License-Identifier: MIT */
/* Preloaded by a test: an OpenBLAS that does not know the processor and says so, whatever it is told. */
char *openblas_get_corename(void);

char *openblas_get_corename(void)
{
    static char name[] = "Prescott";
    return name;
}

/* locale.h - reads and writes numbers, and compares words, in the locale "C", whatever the host has chosen.
 * Internal.
 *
 *   locale_t before = hn_locale_enter();
 *   ... strtod, printf, Lua ...
 *   hn_locale_leave(before); */
#ifndef HN_LOCALE_H
#define HN_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* Sets the locale "C" for the calling thread; returns the previous one. */
locale_t hn_locale_enter(void);
void hn_locale_leave(locale_t before);

/* strtod, snprintf and vsnprintf in the locale "C". */
double hn_number(const char *text, char **end);
int hn_print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int hn_print_list(char *text, size_t size, const char *format, va_list arguments)
  __attribute__((format(printf, 3, 0)));
/* Appends formatted text to TEXT[size]. */
void hn_print_after(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

/* locale.h - numbers are read and written, and words compared, as in C, whatever locale the host has chosen. Internal.
 *
 *   locale_t before = hn_locale_enter();
 *   ... strtod, printf, Lua ...
 *   hn_locale_leave(before); */
#ifndef HN_LOCALE_H
#define HN_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* The locale "C" for the calling thread alone; what it had before. */
locale_t hn_locale_enter(void);
void hn_locale_leave(locale_t before);

/* strtod, snprintf and vsnprintf there. */
double hn_number(const char *text, char **end);
int hn_print(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int hn_print_list(char *text, size_t size, const char *format, va_list arguments)
  __attribute__((format(printf, 3, 0)));

#endif

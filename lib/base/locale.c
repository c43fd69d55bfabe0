/* locale.c - the locale "C" for the calling thread */
#include "base/locale.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t made = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make(void)
{
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t hn_locale_enter(void)
{
  pthread_once(&made, make);
  return uselocale(c_locale);
}

void hn_locale_leave(locale_t before)
{
  uselocale(before);
}

double hn_number(const char *text, char **end)
{
  locale_t before = hn_locale_enter();
  double number = strtod(text, end);
  hn_locale_leave(before);
  return number;
}

int hn_print_list(char *text, size_t size, const char *format, va_list arguments)
{
  locale_t before = hn_locale_enter();
  int length = vsnprintf(text, size, format, arguments);
  hn_locale_leave(before);
  return length;
}

int hn_print(char *text, size_t size, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int length = hn_print_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}

void hn_print_after(char *text, size_t size, const char *format, ...)
{
  const size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  hn_print_list(text + length, size - length, format, arguments);
  va_end(arguments);
}

/* streams.c - the standard streams as variables of this library
 *
 * scripts/private-object takes code out of static libraries. That code is made for executables and refers to
 * stdin, stdout and stderr by address, which a shared library may not do; it uses these instead. */
#include <stdio.h>

FILE *hn_stdin, *hn_stdout, *hn_stderr;

__attribute__((constructor)) static void set_streams(void)
{
  hn_stdin = stdin;
  hn_stdout = stdout;
  hn_stderr = stderr;
}

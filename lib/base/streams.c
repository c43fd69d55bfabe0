/* streams.c - the standard streams, for what scripts/private-object takes out of static libraries: that is code for
 * executables, which may refer to stdin, stdout and stderr by address, as a shared library may not. */
#include <stdio.h>

FILE *hn_stdin, *hn_stdout, *hn_stderr;

__attribute__((constructor)) static void set_streams(void)
{
  hn_stdin = stdin;
  hn_stdout = stdout;
  hn_stderr = stderr;
}

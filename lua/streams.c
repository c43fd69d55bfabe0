/* streams.c - the standard streams, for the Lua that scripts/private-lua makes: it comes from code for executables,
 * which may refer to stdin, stdout and stderr by address, as a shared library may not. No scene reaches them. */
#include <stdio.h>

FILE *hn_lua_stdin, *hn_lua_stdout, *hn_lua_stderr;

__attribute__((constructor)) static void set_streams(void)
{
  hn_lua_stdin = stdin;
  hn_lua_stdout = stdout;
  hn_lua_stderr = stderr;
}

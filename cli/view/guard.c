/* guard.c - access control of the server. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "cli/view/guard.h"

enum { TOKEN = 32, MESSAGES_A_SECOND = 200, MESSAGES_AT_ONCE = 400 };

int cli_guard_create(cli_guard *g, const char *address, hn_error *error)
{
  unsigned char random[TOKEN / 2];
  memset(g, 0, sizeof *g);
  if (snprintf(g->address, sizeof g->address, "%s", address) >= (int)sizeof g->address)
    return hn_fail(error, "--listen: \"%.100s\" is too long for an address", address);
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return hn_fail(error, "view: no random numbers: %s", strerror(errno));
  for (size_t i = 0; i < sizeof random; i++) snprintf(g->token + 2 * i, 3, "%02x", random[i]);
  return 0;
}

const char *cli_guard_path(const cli_guard *g, const char *path)
{
  const bool whole = path[0] == '/' && strlen(path) >= TOKEN + 2 && path[TOKEN + 1] == '/';
  const char *given = whole ? path + 1 : "................................";
  unsigned char differs = 0;
  for (int i = 0; i < TOKEN; i++) differs |= (unsigned char)(given[i] ^ g->token[i]);
  return whole && differs == 0 ? path + TOKEN + 2 : NULL;
}

static bool is_host(const cli_guard *g, const char *host, const char *name)
{
  char expected[100];
  const bool colons = strchr(name, ':');
  snprintf(expected, sizeof expected, colons ? "[%s]:%d" : "%s:%d", name, g->port);
  return strcmp(host, expected) == 0;
}

/* True if HOST is a numeric address with our port: no name service decides where it leads. */
static bool is_number(const cli_guard *g, const char *host)
{
  char name[64];
  unsigned char number[16];
  const bool bracket = *host == '[';
  const char *end = strrchr(host, ':');
  if (!end || snprintf(name, sizeof name, "%.*s", (int)(end - host), host) >= (int)sizeof name) return false;
  name[strcspn(name, "]")] = '\0';
  return inet_pton(bracket ? AF_INET6 : AF_INET, name + bracket, number) == 1 &&
         is_host(g, host, name + bracket);
}

bool cli_guard_host(const cli_guard *g, const char *host)
{
  const bool everywhere = strcmp(g->address, "0.0.0.0") == 0 || strcmp(g->address, "::") == 0;
  return is_host(g, host, "127.0.0.1") || is_host(g, host, "localhost") || is_host(g, host, "::1") ||
         is_host(g, host, g->address) || (everywhere && is_number(g, host));
}

bool cli_guard_origin(const cli_guard *g, const char *origin)
{
  return strncmp(origin, "http://", 7) == 0 && cli_guard_host(g, origin + 7);
}

bool cli_is_loopback(const char *address)
{
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strcmp(address, "localhost") == 0;
}

bool cli_rate_accepts(cli_rate *rate, double now)
{
  rate->left = fmin(rate->left + (now - rate->last) * MESSAGES_A_SECOND, MESSAGES_AT_ONCE);
  rate->last = now;
  return (rate->left -= 1.0) >= 0.0;
}

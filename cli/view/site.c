/* site.c - the hooks of the server. The network thread calls all functions but open and close. A path is
 * matched against a fixed list and never opened as a file. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/view/site.h"

/* The content security policy allows only scripts and styles served here, no injected ones. */
static const char headers[] =
  "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
  "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\n"
  "x-content-type-options: nosniff\n"
  "referrer-policy: no-referrer\n"
  "cache-control: no-store\n"
  "cross-origin-resource-policy: same-origin\n";
static const char no_page[] =
  "The page of `holonom view` was not built: install npm, run scripts/setup and make again.\n";

/* ---- Access: token in the address, hosts, origins, rate of messages -------------------------------- */

enum { TOKEN = 32, MESSAGES_A_SECOND = 200, MESSAGES_AT_ONCE = 400 };

/* Draws a random token. */
static int create_guard(cli_guard *g, const char *address, hn_error *error)
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

/* Returns the rest of PATH after "/TOKEN/", or NULL. Its time does not reveal correct digits. */
static const char *path_after_token(const cli_guard *g, const char *path)
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

/* True if HOST, "name:port", is an address of this server. Other names are refused although they may resolve
 * to it (DNS rebinding). A server that listens on all addresses accepts any numeric address. */
static bool accepts_host(const cli_guard *g, const char *host)
{
  const bool everywhere = strcmp(g->address, "0.0.0.0") == 0 || strcmp(g->address, "::") == 0;
  return is_host(g, host, "127.0.0.1") || is_host(g, host, "localhost") || is_host(g, host, "::1") ||
         is_host(g, host, g->address) || (everywhere && is_number(g, host));
}

/* Token bucket: true if a message at time NOW (s) is within the limit. */
static bool rate_accepts(cli_rate *rate, double now)
{
  rate->left = fmin(rate->left + (now - rate->last) * MESSAGES_A_SECOND, MESSAGES_AT_ONCE);
  rate->last = now;
  return (rate->left -= 1.0) >= 0.0;
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static cli_content read_content(const char *name)
{
  cli_content content = { NULL, 0 };
  char *path = cli_text("%s/%s", hn_data_dir("web"), name);
  FILE *file = fopen(path, "r");
  free(path);
  if (!file) return content;
  for (size_t room = 1 << 16, got = 1; got > 0; room *= 2) {
    content.body = cli_grow(content.body, room, 1);
    got = fread(content.body + content.size, 1, room - content.size, file);
    content.size += got;
  }
  fclose(file);
  return content;
}

int cli_site_open(cli_site *site, cli_exchange *exchange, const char *address, hn_error *error)
{
  memset(site, 0, sizeof *site);
  site->exchange = exchange;
  site->page = read_content("live.html"), site->script = read_content("live.js"),
  site->style = read_content("live.css");
  return create_guard(&site->guard, address, error);
}

void cli_site_close(cli_site *site)
{
  free(site->page.body), free(site->script.body), free(site->style.body);
}

/* ---- Answers ----------------------------------------------------------------------------------------- */

static int respond(const char *type, const cli_content *content, cli_answer *answer)
{
  if (!content->body) return 404;
  *answer = (cli_answer){ .type = type, .body = cli_alloc(content->size + 1, 1), .size = content->size };
  memcpy(answer->body, content->body, content->size);
  return 200;
}

static int respond_session(cli_exchange *exchange, const char *run, cli_answer *answer)
{
  const bool known = run[0] >= '1' && run[0] < '1' + CLI_MAX_RUNS && !run[1];
  char *text = known ? cli_exchange_session(exchange, run[0] - '1', true) : NULL;
  if (!text) return 404;
  *answer = (cli_answer){ .type = "application/x-ndjson", .body = text, .size = strlen(text) };
  snprintf(answer->name, sizeof answer->name, "holonom-%s.session", run);
  return 200;
}

static int get(void *user, const char *path, const char *host, cli_answer *answer)
{
  const cli_site *site = user;
  const cli_content instead = { (char *)(uintptr_t)no_page, sizeof no_page - 1 };
  const char *name = path_after_token(&site->guard, path);
  if (!accepts_host(&site->guard, host)) return 403;
  if (!name) return 404;
  if (!*name && !site->page.body) return respond("text/plain; charset=utf-8", &instead, answer);
  if (!*name) return respond("text/html; charset=utf-8", &site->page, answer);
  if (strcmp(name, "live.js") == 0) return respond("text/javascript; charset=utf-8", &site->script, answer);
  if (strcmp(name, "live.css") == 0) return respond("text/css; charset=utf-8", &site->style, answer);
  return strncmp(name, "session/", 8) == 0 ? respond_session(site->exchange, name + 8, answer) : 404;
}

static int admit(void *user, const char *path, const char *host, const char *origin)
{
  const cli_site *site = user;
  const char *name = path_after_token(&site->guard, path);
  if (!accepts_host(&site->guard, host) || strncmp(origin, "http://", 7) != 0 ||
      !accepts_host(&site->guard, origin + 7))
    return 403;
  return name && strcmp(name, "socket") == 0 ? 200 : 404;
}

/* ---- Pages ------------------------------------------------------------------------------------------- */

static long join(void *user)
{
  cli_site *site = user;
  const long client = cli_exchange_join(site->exchange);
  if (client >= 0) site->rate[client % CLI_MAX_CLIENTS] = (cli_rate){ .left = 0.0, .last = 0.0 };
  return client;
}

static void leave(void *user, long client)
{
  cli_exchange_leave(((cli_site *)user)->exchange, client);
}

static void refuse(cli_exchange *exchange, long client, const char *text)
{
  cli_exchange_send(exchange, client, json_pack("{s:s, s:s}", "type", "refused", "text", text));
}

static const char *message(void *user, long client, const char *text, size_t size)
{
  cli_site *site = user;
  json_error_t why;
  char words[250];
  if (!rate_accepts(&site->rate[client % CLI_MAX_CLIENTS], cli_clock())) return "too many messages";
  json_t *command = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
  if (json_is_object(command)) {
    if (!cli_exchange_submit(site->exchange, client, command))
      refuse(site->exchange, client, "too many commands at a time");
    return NULL;
  }
  snprintf(words, sizeof words, "not an object of JSON: %.200s", command ? "something else" : why.text);
  json_decref(command);
  refuse(site->exchange, client, words);
  return NULL;
}

static cli_blob *next(void *user, long client, const char **reason)
{
  return cli_exchange_next(((cli_site *)user)->exchange, client, reason);
}

static void release(void *user, cli_blob *blob)
{
  cli_exchange_release(((cli_site *)user)->exchange, blob);
}

cli_serve_hooks cli_site_hooks(cli_site *site)
{
  return (cli_serve_hooks){ .get = get,
                            .admit = admit,
                            .join = join,
                            .leave = leave,
                            .message = message,
                            .next = next,
                            .release = release,
                            .headers = headers,
                            .user = site };
}

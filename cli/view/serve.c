/* serve.c - the network of `holonom view`: libwebsockets, in a module of its own. What is asked for and by
 * whom, what it gets, and what a message says is the program's business (serve.h).
 *
 * A page is one connection that has become a websocket. It is told by the library when it can be written to;
 * then it gets one message. A page that does not take what waits for it for half a minute is dropped. */
#include <errno.h>
#include <libwebsockets.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include "cli/view/serve.h"

_Static_assert(CLI_BLOB_BEFORE >= LWS_PRE, "room for the frame of a message");

struct cli_server {
  cli_serve_hooks hooks;
  struct lws_context *context;
  struct lws_protocols protocol[3];
  atomic_bool over;
};

/* Of a connection: the library gives it zeroed. */
typedef struct client {
  long page;     /* 0: it is none */
  char *message; /* [length] what has come of one; NULL: nothing */
  size_t length;
  cli_answer answer;
  unsigned char *sending; /* the answer, with room before it */
  time_t taken;           /* when it last took something, or there was nothing for it */
} client;

static cli_server *server_of(struct lws *wsi)
{
  return lws_context_user(lws_get_context(wsi));
}

static time_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

/* A header of the request; "" when there is none, or too much. */
static void header(struct lws *wsi, enum lws_token_indexes index, char *text, int size)
{
  if (lws_hdr_copy(wsi, text, size, index) < 0) *text = '\0';
}

static void path_of(struct lws *wsi, char *path, int size)
{
  header(wsi, WSI_TOKEN_GET_URI, path, size);
}

/* ---- Answers to GET ------------------------------------------------------------------------------------ */

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **p, unsigned char *end)
{
  return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                     (int)strlen(value), p, end);
}

/* "name: value\n" each. */
static int add_all(struct lws *wsi, const char *headers, unsigned char **p, unsigned char *end)
{
  char name[64], value[400];
  int failed = 0;
  for (const char *h = headers; !failed && *h; h = strchr(h, '\n') + 1) {
    const char *colon = strchr(h, ':');
    snprintf(name, sizeof name, "%.*s:", (int)(colon - h), h);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    failed = add(wsi, name, value, p, end);
  }
  return failed;
}

static int begin_answer(struct lws *wsi, client *c, unsigned status)
{
  unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *p = start,
                                        *end = buffer + sizeof buffer - 1;
  char attachment[120];
  const char *type = c->answer.type ? c->answer.type : "text/plain";
  if (lws_add_http_common_headers(wsi, status, type, c->answer.size, &p, end) ||
      add_all(wsi, server_of(wsi)->hooks.headers, &p, end))
    return -1;
  snprintf(attachment, sizeof attachment, "attachment; filename=\"%s\"", c->answer.name);
  if (*c->answer.name && add(wsi, "content-disposition:", attachment, &p, end)) return -1;
  if (lws_finalize_write_http_header(wsi, start, &p, end)) return -1;
  if (c->answer.size == 0) return lws_http_transaction_completed(wsi) ? -1 : 0;
  lws_callback_on_writable(wsi);
  return 0;
}

static void forget_answer(client *c)
{
  free(c->answer.body), free(c->sending);
  c->sending = NULL;
  memset(&c->answer, 0, sizeof c->answer);
}

static int get(struct lws *wsi, client *c)
{
  char path[200], host[100];
  cli_server *s = server_of(wsi);
  path_of(wsi, path, sizeof path);
  header(wsi, WSI_TOKEN_HOST, host, sizeof host);
  forget_answer(c);
  const int status = *path ? s->hooks.get(s->hooks.user, path, host, &c->answer) : 404;
  if (c->answer.size > 0) {
    if (!(c->sending = malloc(LWS_PRE + c->answer.size))) return -1;
    memcpy(c->sending + LWS_PRE, c->answer.body, c->answer.size);
  }
  return begin_answer(wsi, c, (unsigned)status);
}

static int send_answer(struct lws *wsi, client *c)
{
  if (!c->sending) return 0;
  const int sent = lws_write(wsi, c->sending + LWS_PRE, c->answer.size, LWS_WRITE_HTTP_FINAL);
  forget_answer(c);
  return sent < 0 || lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* ---- Pages --------------------------------------------------------------------------------------------- */

static int cut_off(struct lws *wsi, enum lws_close_status status, const char *reason)
{
  lws_close_reason(wsi, status, (unsigned char *)(uintptr_t)reason, strlen(reason));
  return -1;
}

/* Before it becomes a websocket. */
static int admit(struct lws *wsi)
{
  char path[200], host[100], origin[120];
  cli_server *s = server_of(wsi);
  path_of(wsi, path, sizeof path);
  header(wsi, WSI_TOKEN_HOST, host, sizeof host);
  header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
  const int status = s->hooks.admit(s->hooks.user, path, host, origin);
  if (status == 200) return 0;
  lws_return_http_status(wsi, (unsigned)status, NULL);
  return -1;
}

static int join(struct lws *wsi, client *c)
{
  cli_server *s = server_of(wsi);
  c->page = s->hooks.join(s->hooks.user);
  c->taken = now();
  if (c->page >= 0) return 0;
  c->page = 0;
  return cut_off(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many pages are connected");
}

static void leave(struct lws *wsi, client *c)
{
  cli_server *s = server_of(wsi);
  if (c->page) s->hooks.leave(s->hooks.user, c->page);
  free(c->message);
  c->page = 0, c->message = NULL;
}

/* A piece of a message, which may be the last one. */
static int take(struct lws *wsi, client *c, const char *piece, size_t size)
{
  cli_server *s = server_of(wsi);
  if (lws_frame_is_binary(wsi))
    return cut_off(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
  if (c->length + size > CLI_LONGEST_MESSAGE || lws_remaining_packet_payload(wsi) > CLI_LONGEST_MESSAGE)
    return cut_off(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is at most 64 kB");
  char *longer = realloc(c->message, c->length + size + 1);
  if (!longer) return -1;
  c->message = longer;
  if (size > 0) memcpy(c->message + c->length, piece, size);
  c->length += size;
  if (!lws_is_final_fragment(wsi)) return 0;
  c->message[c->length] = '\0';
  const char *reason = s->hooks.message(s->hooks.user, c->page, c->message, c->length);
  c->length = 0;
  lws_callback_on_writable(wsi);
  return reason ? cut_off(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason) : 0;
}

static int give(struct lws *wsi, client *c)
{
  cli_server *s = server_of(wsi);
  const char *reason = NULL;
  cli_blob *blob = s->hooks.next(s->hooks.user, c->page, &reason);
  c->taken = now();
  if (!blob) return reason ? cut_off(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason) : 0;
  const int sent = lws_write(wsi, blob->byte + CLI_BLOB_BEFORE, blob->size,
                             blob->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY);
  s->hooks.drop(s->hooks.user, blob);
  if (sent < 0) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

/* Once a second: what is not taken now for so long is for nobody. */
static int look_after(struct lws *wsi, client *c)
{
  if (lws_send_pipe_choked(wsi) == 0) c->taken = now();
  lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC);
  return now() - c->taken > CLI_TAKES_NOTHING ? -1 : 0;
}

/* ---- The library --------------------------------------------------------------------------------------- */

static int on_request(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  switch (reason) {
  case LWS_CALLBACK_HTTP: return get(wsi, user);
  case LWS_CALLBACK_HTTP_WRITEABLE: return send_answer(wsi, user);
  case LWS_CALLBACK_CLOSED_HTTP:
    if (user) forget_answer(user);
    return 0;
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return -1; /* a websocket without the name of what it speaks */
  default: return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

static int on_page(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return admit(wsi);
  case LWS_CALLBACK_ESTABLISHED: lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC); return join(wsi, user);
  case LWS_CALLBACK_CLOSED: leave(wsi, user); return 0;
  case LWS_CALLBACK_RECEIVE: return take(wsi, user, in, length);
  case LWS_CALLBACK_SERVER_WRITEABLE: return give(wsi, user);
  case LWS_CALLBACK_TIMER: return look_after(wsi, user);
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi));
    return 0;
  default: return 0;
  }
}

/* The family of ADDRESS, a number or a name, and its number, as the library takes no names; AF_UNSPEC: there
 * is no such address. */
static int find_address(const char *address, char *number, socklen_t room)
{
  struct addrinfo *found = NULL;
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
  if (getaddrinfo(address, NULL, &hints, &found)) return AF_UNSPEC;
  const bool failed = getnameinfo(found->ai_addr, found->ai_addrlen, number, room, NULL, 0, NI_NUMERICHOST);
  const int family = failed ? AF_UNSPEC : found->ai_family;
  freeaddrinfo(found);
  return family;
}

/* NULL with errno; 0: the library does not say why. For an address of IPv4 IPv6 is switched off: else the
 * library listens on all that the machine has, whatever it was told, and takes those of other machines. */
static struct lws_vhost *listen_on(cli_server *s, const char *number, int family, int port)
{
  const struct lws_context_creation_info info = {
    .port = port,
    .iface = number,
    .protocols = s->protocol,
    .user = s,
    .timeout_secs = CLI_HANDSHAKE,
    .timeout_secs_ah_idle = CLI_HANDSHAKE,
    .keepalive_timeout = CLI_HANDSHAKE,
    .vhost_name = "view",
    .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
               (family == AF_INET ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0),
  };
  errno = 0;
  return lws_create_vhost(s->context, &info);
}

static void close_server(cli_server *s)
{
  lws_context_destroy(s->context);
  free(s);
}

/* With nothing that listens. */
static cli_server *create_server(const cli_serve_hooks *hooks)
{
  cli_server *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->hooks = *hooks;
  s->protocol[0] =
    (struct lws_protocols){ .name = "http", .callback = on_request, .per_session_data_size = sizeof(client) };
  s->protocol[1] = (struct lws_protocols){
    .name = "holonom", .callback = on_page, .rx_buffer_size = 4096, .per_session_data_size = sizeof(client)
  };
  const struct lws_context_creation_info info = {
    .user = s, .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS, .max_http_header_pool = 64, .gid = -1, .uid = -1
  };
  lws_set_log_level(0, NULL);
  if ((s->context = lws_create_context(&info))) return s;
  free(s);
  return NULL;
}

static cli_server *open_server(const cli_serve_hooks *hooks, const char *address, int *port, char *why,
                               size_t size)
{
  char number[64];
  const char *problem = "there is no such address";
  const int family = find_address(address, number, sizeof number);
  cli_server *s = family == AF_UNSPEC ? NULL : create_server(hooks);
  struct lws_vhost *host = s ? listen_on(s, number, family, *port) : NULL;
  if (host) {
    *port = lws_get_vhost_listen_port(host);
    return s;
  }
  if (family != AF_UNSPEC) problem = errno ? strerror(errno) : "nobody can there";
  snprintf(why, size, "view: cannot listen on %s, port %d: %s", address, *port, problem);
  if (s) close_server(s);
  return NULL;
}

static void run(cli_server *s)
{
  while (!atomic_load(&s->over) && lws_service(s->context, 0) >= 0)
    ;
}

static void wake(cli_server *s)
{
  lws_cancel_service(s->context);
}

static void stop(cli_server *s)
{
  atomic_store(&s->over, true);
  wake(s);
}

const cli_serve cli_serve_websockets = {
  .open = open_server,
  .run = run,
  .wake = wake,
  .stop = stop,
  .close = close_server,
};

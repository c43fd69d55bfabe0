/* serve.c - the network of `holonom view` with libwebsockets, a module of its own. The program decides on
 * access, content and messages through hooks (serve.h).
 *
 * A client is a connection upgraded to a websocket. Whenever the library reports it writable, one message is
 * sent. A client that accepts no data for half a minute is disconnected.
 *
 * Connections that are no clients wait in a list. Where it is full, the oldest connection of the address
 * that has the most is closed: connections that send nothing keep out neither newer ones nor clients. */
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

_Static_assert(CLI_BLOB_HEADROOM >= LWS_PRE, "room for the frame of a message");

/* A connection that is no client. */
typedef struct waiting {
  struct lws *wsi;
  char address[48];
} waiting;

struct cli_server {
  cli_serve_hooks hooks;
  waiting waiting[CLI_MAX_WAITING]; /* [nwaiting], the oldest first */
  int nwaiting;
  struct lws_context *context;
  struct lws_protocols protocol[3];
  atomic_bool over;
};

/* Data of a connection, zeroed by the library. */
typedef struct connection {
  long client;   /* number of the client; 0: none */
  char *message; /* [length] received so far, or NULL */
  size_t length;
  cli_answer answer;
  unsigned char *sending; /* the answer, preceded by LWS_PRE bytes */
  time_t accepted;        /* when data was last accepted, or there was none to send, s */
} connection;

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

/* Copies a header of the request; "" if it is missing or too long. */
static void header(struct lws *wsi, enum lws_token_indexes index, char *text, int size)
{
  if (lws_hdr_copy(wsi, text, size, index) < 0) *text = '\0';
}

static void path_of(struct lws *wsi, char *path, int size)
{
  header(wsi, WSI_TOKEN_GET_URI, path, size);
}

/* ---- Connections that are no clients ----------------------------------------------------------------- */

static void remove_waiting(cli_server *s, int index)
{
  s->nwaiting--;
  memmove(s->waiting + index, s->waiting + index + 1, sizeof *s->waiting * (size_t)(s->nwaiting - index));
}

/* Removes WSI from the list, if it is there: it is a client now, or is closed. */
static void forget(struct lws *wsi)
{
  cli_server *s = server_of(wsi);
  for (int i = 0; i < s->nwaiting; i++)
    if (s->waiting[i].wsi == wsi) {
      remove_waiting(s, i);
      return;
    }
}

/* True if a request of this connection is being answered, or data of it has not been read yet. */
static bool is_served(const waiting *w)
{
  char byte;
  const connection *c = lws_wsi_user(w->wsi);
  if (c && c->sending) return true;
  return recv(lws_get_socket_fd(w->wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static int count_of(const cli_server *s, const char *address)
{
  int count = 0;
  for (int i = 0; i < s->nwaiting; i++) count += strcmp(s->waiting[i].address, address) == 0;
  return count;
}

/* Returns the oldest connection of the address that has the most, if possible one that is not served. */
static int find_displaced(const cli_server *s)
{
  int found = 0, most = 0;
  for (int i = 0; i < s->nwaiting; i++) {
    const int value = 2 * count_of(s, s->waiting[i].address) - is_served(&s->waiting[i]);
    if (value > most) most = value, found = i;
  }
  return found;
}

/* Appends the new connection WSI to the list. The library would keep a displaced one until its peer closes,
 * or for the time of a handshake; it closes one without a peer at once. */
static void note_waiting(struct lws *wsi)
{
  cli_server *s = server_of(wsi);
  if (s->nwaiting == CLI_MAX_WAITING) {
    const int displaced = find_displaced(s);
    shutdown(lws_get_socket_fd(s->waiting[displaced].wsi), SHUT_RDWR);
    remove_waiting(s, displaced);
  }
  waiting *w = &s->waiting[s->nwaiting++];
  w->wsi = wsi;
  lws_get_peer_simple(wsi, w->address, sizeof w->address);
}

/* ---- Answers to GET ---------------------------------------------------------------------------------- */

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **p, unsigned char *end)
{
  return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                     (int)strlen(value), p, end);
}

/* Adds HEADERS, lines "name: value\n". */
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

static int begin_answer(struct lws *wsi, connection *c, unsigned status)
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

static void free_answer(connection *c)
{
  free(c->answer.body), free(c->sending);
  c->sending = NULL;
  memset(&c->answer, 0, sizeof c->answer);
}

static int get(struct lws *wsi, connection *c)
{
  char path[200], host[100];
  cli_server *s = server_of(wsi);
  path_of(wsi, path, sizeof path);
  header(wsi, WSI_TOKEN_HOST, host, sizeof host);
  free_answer(c);
  const int status = *path ? s->hooks.get(s->hooks.user, path, host, &c->answer) : 404;
  if (c->answer.size > 0) {
    if (!(c->sending = malloc(LWS_PRE + c->answer.size))) return -1;
    memcpy(c->sending + LWS_PRE, c->answer.body, c->answer.size);
  }
  return begin_answer(wsi, c, (unsigned)status);
}

static int send_answer(struct lws *wsi, connection *c)
{
  if (!c->sending) return 0;
  const int sent = lws_write(wsi, c->sending + LWS_PRE, c->answer.size, LWS_WRITE_HTTP_FINAL);
  free_answer(c);
  return sent < 0 || lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* ---- Clients ----------------------------------------------------------------------------------------- */

static int disconnect(struct lws *wsi, enum lws_close_status status, const char *reason)
{
  lws_close_reason(wsi, status, (unsigned char *)(uintptr_t)reason, strlen(reason));
  return -1;
}

/* Checks a request before the upgrade to a websocket. */
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

static int join(struct lws *wsi, connection *c)
{
  cli_server *s = server_of(wsi);
  forget(wsi);
  c->client = s->hooks.join(s->hooks.user);
  c->accepted = now();
  if (c->client >= 0) return 0;
  c->client = 0;
  return disconnect(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many pages are connected");
}

static void leave(struct lws *wsi, connection *c)
{
  cli_server *s = server_of(wsi);
  if (c->client) s->hooks.leave(s->hooks.user, c->client);
  free(c->message);
  c->client = 0, c->message = NULL;
}

/* Receives a piece of a message; passes the message on when complete. */
static int receive(struct lws *wsi, connection *c, const char *piece, size_t size)
{
  cli_server *s = server_of(wsi);
  if (lws_frame_is_binary(wsi))
    return disconnect(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
  if (c->length + size > CLI_MAX_MESSAGE_BYTES || lws_remaining_packet_payload(wsi) > CLI_MAX_MESSAGE_BYTES)
    return disconnect(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is at most 64 kB");
  char *longer = realloc(c->message, c->length + size + 1);
  if (!longer) return -1;
  c->message = longer;
  if (size > 0) memcpy(c->message + c->length, piece, size);
  c->length += size;
  if (!lws_is_final_fragment(wsi)) return 0;
  c->message[c->length] = '\0';
  const char *reason = s->hooks.message(s->hooks.user, c->client, c->message, c->length);
  c->length = 0;
  lws_callback_on_writable(wsi);
  return reason ? disconnect(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason) : 0;
}

static int send_next(struct lws *wsi, connection *c)
{
  cli_server *s = server_of(wsi);
  const char *reason = NULL;
  cli_blob *blob = s->hooks.next(s->hooks.user, c->client, &reason);
  c->accepted = now();
  if (!blob) return reason ? disconnect(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason) : 0;
  const int sent = lws_write(wsi, blob->byte + CLI_BLOB_HEADROOM, blob->size,
                             blob->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY);
  s->hooks.release(s->hooks.user, blob);
  if (sent < 0) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

/* Called once a second; disconnects a client that has accepted no data for CLI_STALL_TIMEOUT seconds. */
static int check_connection(struct lws *wsi, connection *c)
{
  if (lws_send_pipe_choked(wsi) == 0) c->accepted = now();
  lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC);
  return now() - c->accepted > CLI_STALL_TIMEOUT ? -1 : 0;
}

/* ---- The library ------------------------------------------------------------------------------------- */

static int on_request(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  switch (reason) {
  case LWS_CALLBACK_HTTP: return get(wsi, user);
  case LWS_CALLBACK_HTTP_WRITEABLE: return send_answer(wsi, user);
  case LWS_CALLBACK_CLOSED_HTTP:
    if (user) free_answer(user);
    return 0;
  case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: note_waiting(wsi); return 0;
  case LWS_CALLBACK_WSI_DESTROY: forget(wsi); return 0;
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; /* a websocket without our subprotocol */
  default: return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

static int on_page(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return admit(wsi);
  case LWS_CALLBACK_ESTABLISHED: lws_set_timer_usecs(wsi, LWS_USEC_PER_SEC); return join(wsi, user);
  case LWS_CALLBACK_CLOSED: leave(wsi, user); return 0;
  case LWS_CALLBACK_RECEIVE: return receive(wsi, user, in, length);
  case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(wsi, user);
  case LWS_CALLBACK_TIMER: return check_connection(wsi, user);
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi));
    return 0;
  default: return 0;
  }
}

/* Resolves ADDRESS, a number or a name, to NUMBER, because the library takes no names. Returns the address
 * family; AF_UNSPEC: no such address. */
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

/* Returns NULL and sets errno on error; 0 if the library gives no cause. IPv6 is disabled for an IPv4
 * address: otherwise the library listens on all interfaces and accepts clients of other machines. */
static struct lws_vhost *listen_on(cli_server *s, const char *number, int family, int port)
{
  const struct lws_context_creation_info info = {
    .port = port,
    .iface = number,
    .protocols = s->protocol,
    .user = s,
    .timeout_secs = CLI_HANDSHAKE_TIMEOUT,
    .timeout_secs_ah_idle = CLI_HANDSHAKE_TIMEOUT,
    .keepalive_timeout = CLI_HANDSHAKE_TIMEOUT,
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

/* Creates a server that does not listen yet. */
static cli_server *create_server(const cli_serve_hooks *hooks)
{
  cli_server *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->hooks = *hooks;
  s->protocol[0] = (struct lws_protocols){ .name = "http",
                                           .callback = on_request,
                                           .per_session_data_size = sizeof(connection) };
  s->protocol[1] = (struct lws_protocols){ .name = "holonom",
                                           .callback = on_page,
                                           .rx_buffer_size = 4096,
                                           .per_session_data_size = sizeof(connection) };
  const struct lws_context_creation_info info = { .user = s,
                                                  .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
                                                  .max_http_header_pool = 2 * CLI_MAX_WAITING,
                                                  .gid = -1,
                                                  .uid = -1 };
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
  if (family != AF_UNSPEC) problem = errno ? strerror(errno) : "the address cannot be used";
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

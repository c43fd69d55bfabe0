/* exchange.c - queues between the step loop and the network thread.
 *
 * Requests wait in a ring. Messages wait in a ring for each client; a client whose ring is full is
 * disconnected. Only the newest frame of each run is kept: a slow client misses some. No side waits. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "cli/base/memory.h"
#include "cli/view/exchange.h"

enum { MAX_COMMANDS = 1024, MAX_REQUESTS = MAX_COMMANDS + 4 * CLI_MAX_CLIENTS, MAX_MESSAGES = 512 };

typedef struct client {
  long number;                  /* -1: none */
  cli_blob *text[MAX_MESSAGES]; /* [count] from `first` on, in a ring */
  int first, count;
  bool overrun;
  uint64_t seen[CLI_MAX_RUNS]; /* number of the last frame sent, for each run */
} client;

typedef struct run {
  cli_blob *frame; /* NULL: there is none */
  uint64_t number; /* of frames so far */
  char *text;      /* [length] session file; NULL: no such run */
  size_t length, room, marked;
  long steps; /* taken at the mark */
  uint64_t hash;
} run;

struct cli_exchange {
  pthread_mutex_t guard;
  pthread_cond_t request_queued;
  atomic_bool waiting; /* there are requests */
  cli_request request[MAX_REQUESTS];
  int first, count, clients;
  long joined; /* number of clients so far */
  client client[CLI_MAX_CLIENTS];
  run run[CLI_MAX_RUNS];
  void (*wake)(cli_server *server);
  cli_server *server;
};

cli_exchange *cli_exchange_create(void)
{
  cli_exchange *x = cli_alloc(1, sizeof *x);
  pthread_condattr_t steady;
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_mutex_init(&x->guard, NULL);
  pthread_cond_init(&x->request_queued, &steady);
  pthread_condattr_destroy(&steady);
  for (int i = 0; i < CLI_MAX_CLIENTS; i++) x->client[i].number = -1;
  return x;
}

static void release(cli_blob *blob)
{
  if (blob && --blob->users == 0) free(blob);
}

static void clear_client(client *p)
{
  for (; p->count > 0; p->count--, p->first = (p->first + 1) % MAX_MESSAGES) release(p->text[p->first]);
  p->number = -1;
}

void cli_exchange_free(cli_exchange *x)
{
  cli_request request;
  if (!x) return;
  while (cli_exchange_receive(x, &request)) json_decref(request.command);
  for (int i = 0; i < CLI_MAX_CLIENTS; i++) clear_client(&x->client[i]);
  for (int k = 0; k < CLI_MAX_RUNS; k++) release(x->run[k].frame), free(x->run[k].text);
  pthread_cond_destroy(&x->request_queued);
  pthread_mutex_destroy(&x->guard);
  free(x);
}

void cli_exchange_wake(cli_exchange *x, void (*wake)(cli_server *server), cli_server *server)
{
  x->wake = wake, x->server = server;
}

static void wake(cli_exchange *x)
{
  if (x->wake) x->wake(x->server);
}

/* ---- Requests ---------------------------------------------------------------------------------------- */

/* Queues a request; the mutex must be held. */
static bool push_request(cli_exchange *x, cli_request request)
{
  if (x->count >= (request.kind == CLI_REQUEST_COMMAND ? MAX_COMMANDS : MAX_REQUESTS)) return false;
  x->request[(x->first + x->count++) % MAX_REQUESTS] = request;
  atomic_store(&x->waiting, true);
  pthread_cond_signal(&x->request_queued);
  return true;
}

bool cli_exchange_receive(cli_exchange *x, cli_request *request)
{
  if (!atomic_load(&x->waiting)) return false;
  pthread_mutex_lock(&x->guard);
  const bool found = x->count > 0;
  if (found) {
    *request = x->request[x->first];
    x->first = (x->first + 1) % MAX_REQUESTS;
    x->count--;
  }
  atomic_store(&x->waiting, x->count > 0);
  pthread_mutex_unlock(&x->guard);
  return found;
}

void cli_exchange_wait(cli_exchange *x, double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&x->guard);
  if (x->count == 0) pthread_cond_timedwait(&x->request_queued, &x->guard, &until);
  pthread_mutex_unlock(&x->guard);
}

bool cli_exchange_submit(cli_exchange *x, long number, json_t *command)
{
  pthread_mutex_lock(&x->guard);
  const bool done = push_request(
    x, (cli_request){ .kind = CLI_REQUEST_COMMAND, .client = number, .command = command });
  pthread_mutex_unlock(&x->guard);
  if (!done) json_decref(command);
  return done;
}

/* ---- Clients ----------------------------------------------------------------------------------------- */

static client *find_client(cli_exchange *x, long number)
{
  client *p = &x->client[number % CLI_MAX_CLIENTS];
  return p->number == number ? p : NULL;
}

/* Every client of a place gets a new number, so that messages for its predecessor do not reach it. No client
 * is admitted while the queue lacks room for the requests to join and leave. */
long cli_exchange_join(cli_exchange *x)
{
  int at = 0;
  long number = -1;
  pthread_mutex_lock(&x->guard);
  while (at < CLI_MAX_CLIENTS && x->client[at].number >= 0) at++;
  if (at < CLI_MAX_CLIENTS && x->count < MAX_COMMANDS + 2 * CLI_MAX_CLIENTS) {
    number = ++x->joined * CLI_MAX_CLIENTS + at;
    x->client[at] = (client){ .number = number };
    x->clients++;
    push_request(x, (cli_request){ .kind = CLI_REQUEST_JOIN, .client = number });
  }
  pthread_mutex_unlock(&x->guard);
  return number;
}

void cli_exchange_leave(cli_exchange *x, long number)
{
  pthread_mutex_lock(&x->guard);
  client *p = find_client(x, number);
  if (p) {
    clear_client(p);
    x->clients--;
    push_request(x, (cli_request){ .kind = CLI_REQUEST_LEAVE, .client = number });
  }
  pthread_mutex_unlock(&x->guard);
}

int cli_exchange_clients(cli_exchange *x)
{
  pthread_mutex_lock(&x->guard);
  const int clients = x->clients;
  pthread_mutex_unlock(&x->guard);
  return clients;
}

/* ---- Messages and frames ----------------------------------------------------------------------------- */

cli_blob *cli_blob_create(size_t size, bool is_text)
{
  cli_blob *blob = cli_alloc(1, sizeof *blob + CLI_BLOB_HEADROOM + size);
  *blob = (cli_blob){ .users = 1, .is_text = is_text, .size = size };
  return blob;
}

static void queue_message(client *p, cli_blob *blob)
{
  if (p->number < 0 || p->overrun) return;
  p->overrun = p->count == MAX_MESSAGES;
  if (p->overrun) return;
  p->text[(p->first + p->count++) % MAX_MESSAGES] = blob;
  blob->users++;
}

void cli_exchange_send(cli_exchange *x, long number, json_t *message)
{
  char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(message);
  if (!text) return;
  cli_blob *blob = cli_blob_create(strlen(text), true);
  memcpy(blob->byte + CLI_BLOB_HEADROOM, text, blob->size);
  free(text);
  pthread_mutex_lock(&x->guard);
  client *one = number >= 0 ? find_client(x, number) : NULL;
  for (int i = 0; number < 0 && i < CLI_MAX_CLIENTS; i++) queue_message(&x->client[i], blob);
  if (one) queue_message(one, blob);
  release(blob);
  pthread_mutex_unlock(&x->guard);
  wake(x);
}

void cli_exchange_publish_frame(cli_exchange *x, int number, cli_blob *frame)
{
  run *l = &x->run[number];
  pthread_mutex_lock(&x->guard);
  release(l->frame);
  l->frame = frame, l->number++;
  pthread_mutex_unlock(&x->guard);
  wake(x);
}

void cli_exchange_remove_run(cli_exchange *x, int number)
{
  run *l = &x->run[number];
  pthread_mutex_lock(&x->guard);
  release(l->frame);
  free(l->text);
  *l = (run){ .number = l->number };
  pthread_mutex_unlock(&x->guard);
}

/* Messages first, then the frames of all runs in turn. */
cli_blob *cli_exchange_next(cli_exchange *x, long number, const char **reason)
{
  cli_blob *blob = NULL;
  pthread_mutex_lock(&x->guard);
  client *p = find_client(x, number);
  if (p && p->overrun) *reason = "this page does not read its messages";
  if (p && p->count > 0) {
    blob = p->text[p->first];
    p->first = (p->first + 1) % MAX_MESSAGES;
    p->count--;
  }
  for (int k = 0; p && !blob && k < CLI_MAX_RUNS; k++)
    if (x->run[k].frame && p->seen[k] != x->run[k].number) {
      blob = x->run[k].frame;
      blob->users++;
      p->seen[k] = x->run[k].number;
    }
  pthread_mutex_unlock(&x->guard);
  return blob;
}

void cli_exchange_release(cli_exchange *x, cli_blob *blob)
{
  pthread_mutex_lock(&x->guard);
  release(blob);
  pthread_mutex_unlock(&x->guard);
}

/* ---- Sessions ---------------------------------------------------------------------------------------- */

void cli_exchange_append_line(cli_exchange *x, int number, const char *line)
{
  run *l = &x->run[number];
  const size_t length = strlen(line);
  pthread_mutex_lock(&x->guard);
  if (l->length + length + 2 > l->room)
    l->text = cli_grow(l->text, l->room = 2 * (l->length + length + 2), 1);
  memcpy(l->text + l->length, line, length);
  memcpy(l->text + l->length + length, "\n", 2);
  l->length += length + 1;
  pthread_mutex_unlock(&x->guard);
}

void cli_exchange_set_progress(cli_exchange *x, int number, long steps, uint64_t hash)
{
  run *l = &x->run[number];
  pthread_mutex_lock(&x->guard);
  l->marked = l->length, l->steps = steps, l->hash = hash;
  pthread_mutex_unlock(&x->guard);
}

char *cli_exchange_session(cli_exchange *x, int number, bool ended)
{
  char *text = NULL;
  run *l = &x->run[number];
  pthread_mutex_lock(&x->guard);
  const size_t length = ended ? l->marked : l->length;
  const size_t room = length + 100;
  if (l->text) text = cli_alloc(room, 1), memcpy(text, l->text, length);
  if (text && ended)
    snprintf(text + length, room - length, "{\"at_step\":%ld,\"do\":\"end\",\"hash\":\"%016" PRIx64 "\"}\n",
             l->steps, l->hash);
  pthread_mutex_unlock(&x->guard);
  return text;
}

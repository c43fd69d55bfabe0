/* exchange.c - between the step loop and the network.
 *
 * Orders wait in a ring. Texts wait in a ring for each page, and one that takes nothing is cut off when its
 * ring is full. Of pictures only the newest of each lane is kept: a slow page misses some. Neither side waits
 * for the other. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "cli/base/memory.h"
#include "cli/view/exchange.h"

enum { MOST_COMMANDS = 1024, MOST_ORDERS = MOST_COMMANDS + 4 * CLI_MOST_PAGES, MOST_TEXTS = 512 };

typedef struct page {
  long number;                /* -1: nobody is here */
  cli_blob *text[MOST_TEXTS]; /* [count] from `first` on, in a ring */
  int first, count;
  bool overrun;
  uint64_t seen[CLI_MOST_LANES]; /* pictures of each lane */
} page;

typedef struct lane {
  cli_blob *picture; /* NULL: there is none */
  uint64_t number;   /* of pictures so far */
  char *text;        /* [length] of its session; NULL: no such lane */
  size_t length, room, marked;
  long steps; /* at the mark */
  uint64_t hash;
} lane;

struct cli_exchange {
  pthread_mutex_t guard;
  pthread_cond_t ordered;
  atomic_bool waiting; /* there are orders */
  cli_order order[MOST_ORDERS];
  int first, count, pages;
  long joined; /* pages so far */
  page page[CLI_MOST_PAGES];
  lane lane[CLI_MOST_LANES];
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
  pthread_cond_init(&x->ordered, &steady);
  pthread_condattr_destroy(&steady);
  for (int i = 0; i < CLI_MOST_PAGES; i++) x->page[i].number = -1;
  return x;
}

static void drop(cli_blob *blob)
{
  if (blob && --blob->users == 0) free(blob);
}

static void forget_page(page *p)
{
  for (; p->count > 0; p->count--, p->first = (p->first + 1) % MOST_TEXTS) drop(p->text[p->first]);
  p->number = -1;
}

void cli_exchange_free(cli_exchange *x)
{
  cli_order order;
  if (!x) return;
  while (cli_exchange_take(x, &order)) json_decref(order.command);
  for (int i = 0; i < CLI_MOST_PAGES; i++) forget_page(&x->page[i]);
  for (int k = 0; k < CLI_MOST_LANES; k++) drop(x->lane[k].picture), free(x->lane[k].text);
  pthread_cond_destroy(&x->ordered);
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

/* ---- Orders -------------------------------------------------------------------------------------------- */

/* With the mutex held. */
static bool put(cli_exchange *x, cli_order order)
{
  if (x->count >= (order.kind == CLI_ORDER_COMMAND ? MOST_COMMANDS : MOST_ORDERS)) return false;
  x->order[(x->first + x->count++) % MOST_ORDERS] = order;
  atomic_store(&x->waiting, true);
  pthread_cond_signal(&x->ordered);
  return true;
}

bool cli_exchange_take(cli_exchange *x, cli_order *order)
{
  if (!atomic_load(&x->waiting)) return false;
  pthread_mutex_lock(&x->guard);
  const bool found = x->count > 0;
  if (found) {
    *order = x->order[x->first];
    x->first = (x->first + 1) % MOST_ORDERS;
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
  if (x->count == 0) pthread_cond_timedwait(&x->ordered, &x->guard, &until);
  pthread_mutex_unlock(&x->guard);
}

bool cli_exchange_order(cli_exchange *x, long number, json_t *command)
{
  pthread_mutex_lock(&x->guard);
  const bool done = put(x, (cli_order){ .kind = CLI_ORDER_COMMAND, .page = number, .command = command });
  pthread_mutex_unlock(&x->guard);
  if (!done) json_decref(command);
  return done;
}

/* ---- Pages --------------------------------------------------------------------------------------------- */

static page *find_page(cli_exchange *x, long number)
{
  page *p = &x->page[number % CLI_MOST_PAGES];
  return p->number == number ? p : NULL;
}

/* A place has a number for each page that was there, so that nobody gets what is for one that has left. Where
 * the loop has not heard yet of those that left, there may be no room for the news. */
long cli_exchange_join(cli_exchange *x)
{
  int at = 0;
  long number = -1;
  pthread_mutex_lock(&x->guard);
  while (at < CLI_MOST_PAGES && x->page[at].number >= 0) at++;
  if (at < CLI_MOST_PAGES && x->count < MOST_COMMANDS + 2 * CLI_MOST_PAGES) {
    number = ++x->joined * CLI_MOST_PAGES + at;
    x->page[at] = (page){ .number = number };
    x->pages++;
    put(x, (cli_order){ .kind = CLI_ORDER_JOIN, .page = number });
  }
  pthread_mutex_unlock(&x->guard);
  return number;
}

void cli_exchange_leave(cli_exchange *x, long number)
{
  pthread_mutex_lock(&x->guard);
  page *p = find_page(x, number);
  if (p) {
    forget_page(p);
    x->pages--;
    put(x, (cli_order){ .kind = CLI_ORDER_LEAVE, .page = number });
  }
  pthread_mutex_unlock(&x->guard);
}

int cli_exchange_pages(cli_exchange *x)
{
  pthread_mutex_lock(&x->guard);
  const int pages = x->pages;
  pthread_mutex_unlock(&x->guard);
  return pages;
}

/* ---- What they get ------------------------------------------------------------------------------------- */

cli_blob *cli_blob_create(size_t size, bool is_text)
{
  cli_blob *blob = cli_alloc(1, sizeof *blob + CLI_BLOB_BEFORE + size);
  *blob = (cli_blob){ .users = 1, .is_text = is_text, .size = size };
  return blob;
}

static void give(page *p, cli_blob *blob)
{
  if (p->number < 0 || p->overrun) return;
  p->overrun = p->count == MOST_TEXTS;
  if (p->overrun) return;
  p->text[(p->first + p->count++) % MOST_TEXTS] = blob;
  blob->users++;
}

void cli_exchange_say(cli_exchange *x, long number, json_t *message)
{
  char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(message);
  if (!text) return;
  cli_blob *blob = cli_blob_create(strlen(text), true);
  memcpy(blob->byte + CLI_BLOB_BEFORE, text, blob->size);
  free(text);
  pthread_mutex_lock(&x->guard);
  page *one = number >= 0 ? find_page(x, number) : NULL;
  for (int i = 0; number < 0 && i < CLI_MOST_PAGES; i++) give(&x->page[i], blob);
  if (one) give(one, blob);
  drop(blob);
  pthread_mutex_unlock(&x->guard);
  wake(x);
}

void cli_exchange_show(cli_exchange *x, int number, cli_blob *picture)
{
  lane *l = &x->lane[number];
  pthread_mutex_lock(&x->guard);
  drop(l->picture);
  l->picture = picture, l->number++;
  pthread_mutex_unlock(&x->guard);
  wake(x);
}

void cli_exchange_hide(cli_exchange *x, int number)
{
  lane *l = &x->lane[number];
  pthread_mutex_lock(&x->guard);
  drop(l->picture);
  free(l->text);
  *l = (lane){ .number = l->number };
  pthread_mutex_unlock(&x->guard);
}

/* Texts come first; then the lanes in turn. */
cli_blob *cli_exchange_next(cli_exchange *x, long number, const char **reason)
{
  cli_blob *blob = NULL;
  pthread_mutex_lock(&x->guard);
  page *p = find_page(x, number);
  if (p && p->overrun) *reason = "this page does not take what it is sent";
  if (p && p->count > 0) {
    blob = p->text[p->first];
    p->first = (p->first + 1) % MOST_TEXTS;
    p->count--;
  }
  for (int k = 0; p && !blob && k < CLI_MOST_LANES; k++)
    if (x->lane[k].picture && p->seen[k] != x->lane[k].number) {
      blob = x->lane[k].picture;
      blob->users++;
      p->seen[k] = x->lane[k].number;
    }
  pthread_mutex_unlock(&x->guard);
  return blob;
}

void cli_exchange_drop(cli_exchange *x, cli_blob *blob)
{
  pthread_mutex_lock(&x->guard);
  drop(blob);
  pthread_mutex_unlock(&x->guard);
}

/* ---- Sessions ------------------------------------------------------------------------------------------ */

void cli_exchange_note(cli_exchange *x, int number, const char *line)
{
  lane *l = &x->lane[number];
  const size_t length = strlen(line);
  pthread_mutex_lock(&x->guard);
  if (l->length + length + 2 > l->room)
    l->text = cli_grow(l->text, l->room = 2 * (l->length + length + 2), 1);
  memcpy(l->text + l->length, line, length);
  memcpy(l->text + l->length + length, "\n", 2);
  l->length += length + 1;
  pthread_mutex_unlock(&x->guard);
}

void cli_exchange_mark(cli_exchange *x, int number, long steps, uint64_t hash)
{
  lane *l = &x->lane[number];
  pthread_mutex_lock(&x->guard);
  l->marked = l->length, l->steps = steps, l->hash = hash;
  pthread_mutex_unlock(&x->guard);
}

char *cli_exchange_session(cli_exchange *x, int number, bool ended)
{
  char *text = NULL;
  lane *l = &x->lane[number];
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

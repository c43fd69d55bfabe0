/* exchange.h - between the step loop and the network: orders of pages, texts and pictures for them, sessions
 * so far. One mutex guards all of it, which nobody holds longer than a copy takes. */
#ifndef HN_CLI_VIEW_EXCHANGE_H
#define HN_CLI_VIEW_EXCHANGE_H

#include <jansson.h>
#include <stdint.h>
#include "cli/view/serve.h"

enum { CLI_MOST_PAGES = 16, CLI_MOST_LANES = 4, CLI_EVERY_PAGE = -1 };

typedef struct cli_exchange cli_exchange;
cli_exchange *cli_exchange_create(void);
void cli_exchange_free(cli_exchange *x);
/* WAKE is called with SERVER when there is something for pages; NULL: nobody is. */
void cli_exchange_wake(cli_exchange *x, void (*wake)(cli_server *server), cli_server *server);

/* ---- The step loop ------------------------------------------------------------------------------------- */

typedef enum cli_order_kind { CLI_ORDER_JOIN, CLI_ORDER_COMMAND, CLI_ORDER_LEAVE } cli_order_kind;
typedef struct cli_order {
  cli_order_kind kind;
  long page;
  json_t *command; /* to be freed */
} cli_order;

bool cli_exchange_take(cli_exchange *x, cli_order *order); /* false: there is none */
void cli_exchange_wait(cli_exchange *x, double seconds);   /* until there is an order, or time is up */
/* MESSAGE, which it takes over, to PAGE, or to all; those that are behind by too much are cut off. */
void cli_exchange_say(cli_exchange *x, long page, json_t *message);
/* The newest picture of LANE, with room for SIZE bytes, and its publication. */
cli_blob *cli_blob_create(size_t size, bool is_text);
void cli_exchange_show(cli_exchange *x, int lane, cli_blob *picture);
void cli_exchange_hide(cli_exchange *x, int lane); /* LANE is not there any more */
/* A line of the session of LANE; and how far it has come, which is what is given out. */
void cli_exchange_note(cli_exchange *x, int lane, const char *line);
void cli_exchange_mark(cli_exchange *x, int lane, long steps, uint64_t hash);
int cli_exchange_pages(cli_exchange *x);

/* ---- The network --------------------------------------------------------------------------------------- */

long cli_exchange_join(cli_exchange *x); /* -1: there are too many pages */
void cli_exchange_leave(cli_exchange *x, long page);
/* False: there is no room for COMMAND, which it takes over either way. */
bool cli_exchange_order(cli_exchange *x, long page, json_t *command);
cli_blob *cli_exchange_next(cli_exchange *x, long page, const char **reason); /* as cli_serve_hooks.next */
void cli_exchange_drop(cli_exchange *x, cli_blob *blob);
/* The session of LANE so far with its hash, to be freed; NULL: there is none. Both sides. */
char *cli_exchange_session(cli_exchange *x, int lane, bool ended);

#endif

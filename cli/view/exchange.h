/* exchange.h - queues between the step loop and the network thread: requests of clients, messages and frames
 * for them, session files so far. One mutex guards all of it and is never held longer than a copy takes. */
#ifndef HN_CLI_VIEW_EXCHANGE_H
#define HN_CLI_VIEW_EXCHANGE_H

#include <jansson.h>
#include <stdint.h>
#include "cli/view/serve.h"

enum { CLI_MAX_CLIENTS = 16, CLI_MAX_RUNS = 4, CLI_ALL_CLIENTS = -1 };

typedef struct cli_exchange cli_exchange;
cli_exchange *cli_exchange_create(void);
void cli_exchange_free(cli_exchange *x);
/* Sets the function called with SERVER when there is something to send; NULL: none. */
void cli_exchange_wake(cli_exchange *x, void (*wake)(cli_server *server), cli_server *server);

/* ---- The step loop ----------------------------------------------------------------------------------- */

/* A client has joined, sent a command or left. */
typedef enum cli_request_kind { CLI_REQUEST_JOIN, CLI_REQUEST_COMMAND, CLI_REQUEST_LEAVE } cli_request_kind;
typedef struct cli_request {
  cli_request_kind kind;
  long client;
  json_t *command; /* owned by the receiver */
} cli_request;

bool cli_exchange_receive(cli_exchange *x, cli_request *request); /* false: there is none */
void cli_exchange_wait(cli_exchange *x, double seconds);          /* until there is a request or time is up */
/* Queues MESSAGE, taken over, for CLIENT or all clients; a full queue disconnects its client. */
void cli_exchange_send(cli_exchange *x, long client, json_t *message);
/* Allocates a message of SIZE bytes with one user. */
cli_blob *cli_blob_create(size_t size, bool is_text);
/* Replaces the frame of RUN. Takes FRAME over. */
void cli_exchange_publish_frame(cli_exchange *x, int run, cli_blob *frame);
void cli_exchange_remove_run(cli_exchange *x, int run);
/* Appends LINE to the session file of RUN; set_progress marks up to where it may be downloaded. */
void cli_exchange_append_line(cli_exchange *x, int run, const char *line);
void cli_exchange_set_progress(cli_exchange *x, int run, long steps, uint64_t hash);
int cli_exchange_clients(cli_exchange *x);

/* ---- The network ------------------------------------------------------------------------------------- */

long cli_exchange_join(cli_exchange *x); /* number of the new client; -1: there are too many */
void cli_exchange_leave(cli_exchange *x, long client);
/* Queues COMMAND, which it takes over in any case. Returns false if the queue is full. */
bool cli_exchange_submit(cli_exchange *x, long client, json_t *command);
cli_blob *cli_exchange_next(cli_exchange *x, long client, const char **reason); /* see cli_serve_hooks.next */
void cli_exchange_release(cli_exchange *x, cli_blob *blob);
/* Returns the session file of RUN up to now; if ENDED, up to the mark with its last line. NULL: no such run.
 * Free the result. May be called by both threads. */
char *cli_exchange_session(cli_exchange *x, int run, bool ended);

#endif

/* serve.h - interface between the program and the network module of `holonom view` (serve.c), which is loaded
 * when needed. The network thread calls all hooks; none of them blocks. */
#ifndef HN_CLI_VIEW_SERVE_H
#define HN_CLI_VIEW_SERVE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CLI_BLOB_HEADROOM = 32,          /* bytes before a message for the frame of the websocket */
  CLI_MAX_MESSAGE_BYTES = 1 << 16, /* bytes from a client */
  CLI_STALL_TIMEOUT = 30,          /* s until a client that accepts no data is disconnected */
  CLI_MAX_WAITING = 64,            /* connections that are no clients; a newer one displaces an older one */
  CLI_HANDSHAKE_TIMEOUT = 5        /* s for a handshake or an idle HTTP connection */
};

/* A message shared by several threads and clients, constant once queued. */
typedef struct cli_blob {
  int users;
  bool is_text; /* false: a frame */
  size_t size;
  unsigned char byte[]; /* [CLI_BLOB_HEADROOM + size] */
} cli_blob;

/* Response to GET. */
typedef struct cli_answer {
  const char *type; /* media type */
  char *body;       /* [size] to be freed; NULL: nothing */
  size_t size;
  char name[64]; /* file name of a download, or "" */
} cli_answer;

typedef struct cli_serve_hooks {
  /* Returns the HTTP status of a request: 200 with an answer, 403 or 404. PATH has no query. */
  int (*get)(void *user, const char *path, const char *host, cli_answer *answer);
  /* Returns 200, 403 or 404 for a websocket. ORIGIN is "" if there is none. */
  int (*admit)(void *user, const char *path, const char *host, const char *origin);
  long (*join)(void *user); /* returns the number of a new client; -1: there are too many */
  void (*leave)(void *user, long client);
  /* Receives a message of CLIENT. Returns NULL, or the reason to disconnect it. */
  const char *(*message)(void *user, long client, const char *text, size_t size);
  /* Returns the next message for CLIENT, to be released with `drop`, or NULL. Sets *REASON only if CLIENT is
   * to be disconnected. */
  cli_blob *(*next)(void *user, long client, const char **reason);
  void (*release)(void *user, cli_blob *blob);
  const char *headers; /* lines "name: value\n" for every response */
  void *user;
} cli_serve_hooks;

typedef struct cli_server cli_server;

/* Functions of the module, exported as `cli_serve_websockets`. */
typedef struct cli_serve {
  /* Listens on ADDRESS, a number or a name, and port *PORT; 0: any free port, stored in *PORT. Returns NULL
   * with a message WHY of at most SIZE bytes on error. */
  cli_server *(*open)(const cli_serve_hooks *hooks, const char *address, int *port, char *why, size_t size);
  void (*run)(cli_server *server);  /* serves until `stop`; called in the network thread */
  void (*wake)(cli_server *server); /* sends what is queued; called by any thread */
  void (*stop)(cli_server *server); /* called by any thread */
  void (*close)(cli_server *server);
} cli_serve;

#endif

/* serve.h - the network of `holonom view`, which is in a module of its own (serve.c), loaded when it is
 * needed: what it asks of the program. All of this is called by the network's thread, and nothing waits. */
#ifndef HN_CLI_VIEW_SERVE_H
#define HN_CLI_VIEW_SERVE_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_BLOB_BEFORE = 32, CLI_LONGEST_MESSAGE = 1 << 16, CLI_TAKES_NOTHING = 30, CLI_HANDSHAKE = 5 };

/* Bytes that several threads and pages may hold; they do not change. */
typedef struct cli_blob {
  int users;
  bool is_text; /* else a picture */
  size_t size;
  unsigned char byte[]; /* [CLI_BLOB_BEFORE + size] room for the frame of a message, then the message */
} cli_blob;

/* What is answered to GET. */
typedef struct cli_answer {
  const char *type; /* of the content */
  char *body;       /* [size] to be freed; NULL: nothing */
  size_t size;
  char name[64]; /* of a download, "": none */
} cli_answer;

typedef struct cli_serve_hooks {
  /* The HTTP status of a request: 200 and an answer, 403 or 404. PATH without what follows "?". */
  int (*get)(void *user, const char *path, const char *host, cli_answer *answer);
  /* May a page have a socket? 200, 403 or 404. ORIGIN is "" when there is none. */
  int (*admit)(void *user, const char *path, const char *host, const char *origin);
  long (*join)(void *user); /* a number for a page that has come; -1: there are too many */
  void (*leave)(void *user, long page);
  /* A message of PAGE; NULL, or why PAGE is cut off. */
  const char *(*message)(void *user, long page, const char *text, size_t size);
  /* The next message for PAGE, to be given back with `drop`; NULL: there is none. *REASON is why PAGE is cut
   * off, or stays as it is. */
  cli_blob *(*next)(void *user, long page, const char **reason);
  void (*drop)(void *user, cli_blob *blob);
  const char *headers; /* "name: value\n" of every answer */
  void *user;
} cli_serve_hooks;

typedef struct cli_server cli_server;

/* What the module has, as `cli_serve`. */
typedef struct cli_serve {
  /* Listens on ADDRESS, a number or a name, and on nothing else, port *PORT; 0: any free one, which *PORT
   * becomes. NULL with a text (of SIZE bytes). */
  cli_server *(*open)(const cli_serve_hooks *hooks, const char *address, int *port, char *why, size_t size);
  void (*run)(cli_server *server);  /* until `stop`; in the network's thread */
  void (*wake)(cli_server *server); /* there is something for pages; by any thread */
  void (*stop)(cli_server *server); /* by any thread */
  void (*close)(cli_server *server);
} cli_serve;

#endif

/* show.h - a view: its lanes, their pace, who looks on, and what they say. */
#ifndef HN_CLI_VIEW_SHOW_H
#define HN_CLI_VIEW_SHOW_H

#include "cli/view/guard.h"
#include "cli/view/view_frame.h"

/* A page, as the step loop knows it. */
typedef struct cli_guest {
  long page; /* -1: nobody */
  cli_wants wants;
} cli_guest;

typedef struct cli_owner {
  long page;
  char id[32];
} cli_owner; /* of a hand */

typedef struct cli_show {
  const char *scene;
  const cli_options *options;
  cli_exchange *exchange;
  cli_lane lane[CLI_MOST_LANES];
  int opened; /* lanes so far */
  cli_pace pace;
  cli_guest guest[CLI_MOST_PAGES];
  cli_owner owner[CLI_MOST_PAGES];
  bool once;          /* a step though it is paused */
  bool stale;         /* pictures are to be made, */
  bool news;          /* and a status to be told, */
  double shown, told; /* s, by the clock: and these were the last ones */
  double done[2];     /* likewise: that a target or an input was told */
} cli_show;

/* All that pages have ordered. */
void cli_show_orders(cli_show *show, double now);
/* One lane more, of SPEC, NULL: the scene's own. */
int cli_show_open(cli_show *show, const char *spec, hn_error *error);
int cli_show_close(cli_show *show, hn_error *error);

#endif

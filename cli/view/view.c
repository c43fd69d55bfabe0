/* view.c - a run that is shown, and changed, in browsers while it goes on.
 *
 * The step loop is in the main thread, where signals, libraries and Lua code are as in any run; the network
 * in one of its own. Orders, texts and pictures pass between them (exchange.c), and neither waits for the
 * other: a page that stalls misses pictures, a step that takes long makes pages wait. What takes effect,
 * takes it between two steps of all lanes. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/view/view_messages.h"
#include "cli/view/show.h"
#include "cli/view/site.h"
#include "cli/view/view.h"

static const double between_pictures = 1.0 / 60.0, between_statuses = 1.0, soonest_status = 0.05; /* s */

/* ---- The step loop ------------------------------------------------------------------------------------- */

static cli_wants wants_of(const cli_show *show)
{
  cli_wants all = { false, false, false };
  for (const cli_guest *g = show->guest; g < show->guest + CLI_MOST_PAGES; g++) {
    if (g->page < 0) continue;
    all.boxes |= g->wants.boxes, all.forces |= g->wants.forces, all.contacts |= g->wants.contacts;
  }
  return all;
}

static void tell_models(cli_show *show)
{
  bool changed;
  for (cli_lane *l = show->lane; l < show->lane + CLI_MOST_LANES; l++) {
    if (!l->session || l->models == cli_session_models(l->session)) continue;
    json_t *model = cli_say_model(l, &changed);
    if (changed) cli_exchange_say(show->exchange, CLI_EVERY_PAGE, model);
    else json_decref(model);
  }
}

/* What has become of the lanes, to whoever looks on. */
static void tell(cli_show *show, double now)
{
  const int pages = cli_exchange_pages(show->exchange);
  const cli_wants wants = wants_of(show);
  if (show->stale && now - show->shown >= between_pictures) {
    if (pages > 0) tell_models(show);
    for (cli_lane *l = show->lane; l < show->lane + CLI_MOST_LANES; l++) {
      if (!l->session) continue;
      cli_exchange_mark(show->exchange, l->number, cli_session_steps(l->session),
                        cli_session_hash(l->session));
      if (pages > 0) cli_exchange_show(show->exchange, l->number, cli_picture(l, &show->pace, &wants));
    }
    show->stale = false, show->shown = now;
  }
  if (pages > 0 && now - show->told >= (show->news ? soonest_status : between_statuses)) {
    cli_exchange_say(show->exchange, CLI_EVERY_PAGE, cli_say_status(show->lane, &show->pace, pages));
    show->news = false, show->told = now;
  }
}

static int running(const cli_show *show)
{
  int count = 0;
  for (int k = 0; k < CLI_MOST_LANES; k++) count += cli_lane_runs(&show->lane[k]);
  return count;
}

/* Where something waits to be told it sleeps no longer than that may wait. */
static void loop(cli_show *show)
{
  cli_pace_begin(&show->pace, show->lane, cli_clock());
  while (!*cli_stop()) {
    const double now = cli_clock();
    const int before = running(show);
    cli_show_orders(show, now);
    const double rest = cli_pace_step(&show->pace, show->lane, now, show->once);
    show->once = false;
    if (rest == 0.0) show->stale = true;
    if (running(show) != before) show->news = true;
    tell(show, now);
    if (rest > 0.0)
      cli_exchange_wait(show->exchange, show->stale || show->news ? fmin(rest, between_pictures) : rest);
  }
}

/* ---- The network --------------------------------------------------------------------------------------- */

typedef struct network {
  const cli_serve *serve;
  cli_server *server;
  pthread_t thread;
} network;

static void *serve_pages(void *user)
{
  const network *n = user;
  n->serve->run(n->server);
  return NULL;
}

static const cli_serve *load_module(hn_error *error)
{
  char *path = cli_text("%s/hn_view.so", hn_module_dir());
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const cli_serve *serve = module ? dlsym(module, "cli_serve_websockets") : NULL;
  if (!serve)
    hn_fail(error,
            "view: this build has none, as libwebsockets was not there: install libwebsockets-dev and "
            "build again (%s)",
            dlerror());
  free(path);
  return serve;
}

/* Signals are for the thread that steps. */
static int start_network(network *n, cli_site *site, int port, hn_error *error)
{
  sigset_t all, before;
  const cli_serve_hooks hooks = cli_site_hooks(site);
  site->guard.port = port;
  n->server = n->serve->open(&hooks, site->guard.address, &site->guard.port, error->text, sizeof error->text);
  if (!n->server) return -1;
  cli_exchange_wake(site->exchange, n->serve->wake, n->server);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&n->thread, NULL, serve_pages, n);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!failed) return 0;
  n->serve->close(n->server);
  return hn_fail(error, "view: no thread for the network: %s", strerror(failed));
}

static void end_network(network *n, cli_exchange *exchange)
{
  n->serve->stop(n->server);
  pthread_join(n->thread, NULL);
  cli_exchange_wake(exchange, NULL, NULL);
  n->serve->close(n->server);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static int open_lanes(cli_show *show, hn_error *error)
{
  const cli_options *o = show->options;
  if (!o->solvers) return cli_show_open(show, o->solver, error);
  char **spec = cli_split_specs(o->solvers, error);
  int status = spec ? 0 : -1;
  for (int i = 0; status == 0 && spec[i]; i++) status = cli_show_open(show, spec[i], error);
  if (spec) cli_strings_free(spec);
  return status;
}

static void announce(const cli_site *site, const cli_options *options)
{
  const cli_guard *g = &site->guard;
  if (!cli_is_loopback(g->address))
    cli_complain("--listen %s: whoever can reach this machine there, and knows the address below, can look "
                 "on and change the run",
                 g->address);
  if (!site->page.body && !options->quiet)
    cli_complain("%s/live.html, the page, was not built: install npm, run scripts/setup and make again",
                 hn_data_dir("web"));
  printf(strchr(g->address, ':') ? "http://[%s]:%d/%s/\n" : "http://%s:%d/%s/\n", g->address, g->port,
         g->token);
  fflush(stdout);
}

static int serve_and_step(cli_show *show, cli_site *site, hn_error *error)
{
  network n = { .serve = load_module(error) };
  const int port = show->options->has_port ? show->options->port : CLI_VIEW_PORT;
  if (!n.serve || open_lanes(show, error) < 0 || start_network(&n, site, port, error) < 0) return -1;
  announce(site, show->options);
  loop(show);
  end_network(&n, show->exchange);
  return 0;
}

int cli_view_run(const char *scene, const cli_options *options, hn_error *error)
{
  hn_error why;
  cli_site site;
  cli_show show = { .scene = scene,
                    .options = options,
                    .exchange = cli_exchange_create(),
                    .stale = true,
                    .pace = { .speed = options->fast          ? 0.0
                                       : options->speed > 0.0 ? options->speed
                                                              : 1.0,
                              .paused = options->paused } };
  for (int i = 0; i < CLI_MOST_PAGES; i++) show.guest[i].page = show.owner[i].page = -1;
  int status = cli_site_open(&site, show.exchange, options->listen ? options->listen : "127.0.0.1", error);
  if (status == 0) status = serve_and_step(&show, &site, error);
  if (cli_show_close(&show, &why) < 0 && status == 0) *error = why, status = -1;
  cli_site_close(&site);
  cli_exchange_free(show.exchange);
  return status;
}

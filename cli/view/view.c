/* view.c - a live run shown and controlled in browsers.
 *
 * The step loop runs in the main thread, where signals, libraries and Lua code are as in any run; the network
 * runs in a second thread. Requests, messages and frames pass between them (exchange.c), and neither waits
 * for the other: a stalled client misses frames, a long step delays clients. Commands take effect between two
 * steps of all runs. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/base/parse.h"
#include "cli/view/view_struct.h"
#include "cli/view/site.h"
#include "cli/view/view.h"

static const double frame_interval = 1.0 / 60.0, status_interval = 1.0, min_status_interval = 0.05; /* s */

/* ---- The step loop ----------------------------------------------------------------------------------- */

static cli_frame_content requested_content(const cli_view *view)
{
  cli_frame_content all = { false, false, false };
  for (const cli_client *g = view->client; g < view->client + CLI_MAX_CLIENTS; g++) {
    if (g->number < 0) continue;
    all.boxes |= g->content.boxes, all.forces |= g->content.forces, all.contacts |= g->content.contacts;
  }
  return all;
}

static void send_models(cli_view *view)
{
  bool changed;
  for (cli_live_run *l = view->run; l < view->run + CLI_MAX_RUNS; l++) {
    if (!l->session || l->model_version == cli_session_model_version(l->session)) continue;
    json_t *model = cli_model_message(l, &changed);
    if (changed) cli_exchange_send(view->exchange, CLI_ALL_CLIENTS, model);
    else json_decref(model);
  }
}

/* Sends models, frames and the status if they are due. */
static void send_updates(cli_view *view, double now)
{
  const int clients = cli_exchange_clients(view->exchange);
  const cli_frame_content content = requested_content(view);
  if (view->frames_due && now - view->frame_time >= frame_interval) {
    if (clients > 0) send_models(view);
    for (cli_live_run *l = view->run; l < view->run + CLI_MAX_RUNS; l++) {
      if (!l->session) continue;
      cli_exchange_set_progress(view->exchange, l->number, cli_session_steps(l->session),
                                cli_session_hash(l->session));
      if (clients > 0)
        cli_exchange_publish_frame(view->exchange, l->number, cli_view_frame(l, &view->pace, &content));
    }
    view->frames_due = false, view->frame_time = now;
  }
  if (clients > 0 && now - view->status_time >= (view->status_due ? min_status_interval : status_interval)) {
    cli_exchange_send(view->exchange, CLI_ALL_CLIENTS, cli_status_message(view->run, &view->pace, clients));
    view->status_due = false, view->status_time = now;
  }
}

static int count_active_runs(const cli_view *view)
{
  int count = 0;
  for (int k = 0; k < CLI_MAX_RUNS; k++) count += cli_live_run_is_active(&view->run[k]);
  return count;
}

/* Steps the runs until interrupted. With frames or a status due, a wait is at most the interval of frames. */
static void loop(cli_view *view)
{
  cli_pace_begin(&view->pace, view->run, cli_clock());
  while (!*cli_stop()) {
    const double now = cli_clock();
    const int before = count_active_runs(view);
    cli_view_process_requests(view, now);
    const double rest = cli_pace_step(&view->pace, view->run, now, view->once);
    view->once = false;
    if (rest == 0.0) view->frames_due = true;
    if (count_active_runs(view) != before) view->status_due = true;
    send_updates(view, now);
    if (rest > 0.0)
      cli_exchange_wait(view->exchange,
                        view->frames_due || view->status_due ? fmin(rest, frame_interval) : rest);
  }
}

/* ---- The network ------------------------------------------------------------------------------------- */

typedef struct network {
  const cli_serve *serve;
  cli_server *server;
  pthread_t thread;
} network;

static void *serve_clients(void *user)
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
            "view: not in this build, because libwebsockets was not found: install libwebsockets-dev and "
            "build again (%s)",
            dlerror());
  free(path);
  return serve;
}

/* Starts the network thread with all signals blocked, so that the step loop receives them. */
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
  const int failed = pthread_create(&n->thread, NULL, serve_clients, n);
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

/* ---- Start and end ----------------------------------------------------------------------------------- */

static int open_runs(cli_view *view, hn_error *error)
{
  const cli_options *o = view->options;
  if (!o->solvers) return cli_view_open_run(view, NULL, o->solver, error);
  char **spec = cli_split_specs(o->solvers, error);
  int status = spec ? 0 : -1;
  for (int i = 0; status == 0 && spec[i]; i++) status = cli_view_open_run(view, NULL, spec[i], error);
  if (spec) cli_strings_free(spec);
  return status;
}

static bool is_loopback(const char *address)
{
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strcmp(address, "localhost") == 0;
}

static void announce(const cli_site *site, const cli_options *options)
{
  const cli_guard *g = &site->guard;
  if (!is_loopback(g->address))
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

static int serve_and_step(cli_view *view, cli_site *site, hn_error *error)
{
  network n = { .serve = load_module(error) };
  const int port = view->options->has_port ? view->options->port : CLI_VIEW_PORT;
  hn_error why;
  if (hn_engines_load(&why)) cli_complain("%s", why.text); /* they are in the list of solvers */
  if (!n.serve || open_runs(view, error) < 0 || start_network(&n, site, port, error) < 0) return -1;
  announce(site, view->options);
  loop(view);
  end_network(&n, view->exchange);
  return 0;
}

int cli_view_serve(const char *scene, const cli_options *options, hn_error *error)
{
  hn_error why;
  cli_site site;
  cli_view view = { .scene = scene,
                    .options = options,
                    .exchange = cli_exchange_create(),
                    .frames_due = true,
                    .pace = { .speed = options->fast          ? 0.0
                                       : options->speed > 0.0 ? options->speed
                                                              : 1.0,
                              .paused = options->paused } };
  for (int i = 0; i < CLI_MAX_CLIENTS; i++) view.client[i].number = view.owner[i].client = -1;
  int status = cli_site_open(&site, view.exchange, options->listen ? options->listen : "127.0.0.1", error);
  if (status == 0) status = serve_and_step(&view, &site, error);
  if (cli_view_close(&view, &why) < 0 && status == 0) *error = why, status = -1;
  cli_site_close(&site);
  cli_exchange_free(view.exchange);
  return status;
}

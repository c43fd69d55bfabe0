/* heard.h - runs of written scenes whose events are recorded. */
#ifndef HN_TEST_HEARD_H
#define HN_TEST_HEARD_H

#include "gravity.h"
#include "trials.h"

/* Parts of scenes: a floor, and a rod of 1 m on a hinge at its end; MORE adds to the body. */
#define FLOOR(more)                                                            \
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }" more ",\n" \
  "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
#define ROD(more)                                                                    \
  "local rod = sys:body { name = 'rod', mass = 3, inertia = { 0.25, 0.25, 0.25 },\n" \
  "  position = { 0.5, 0, 0 }" more " }\n"                                           \
  "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"

/* All events of a run, as reported to its observer. */
enum { MOST = 4000 };
typedef struct heard {
  hn_event event[MOST];
  int count;
} heard;

static inline bool record_events(void *user, const hn_frame *frame)
{
  heard *h = user;
  for (int i = 0; i < frame->nevent && h->count < MOST; i++) h->event[h->count++] = frame->event[i];
  return true;
}

static inline trial run_with_events(const char *body, const char *spec, double h, double duration,
                                    heard *into)
{
  into->count = 0;
  puts(spec);
  write_scene(body);
  trial r = run_spec(spec, h, duration, record_events, into);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* Returns event number N (from 0) of a kind. */
static inline const hn_event *nth(const heard *h, hn_event_kind kind, int n)
{
  for (int i = 0; i < h->count; i++)
    if (h->event[i].kind == kind && n-- == 0) return &h->event[i];
  fail_msg("there is no such event \"%s\"", hn_event_name(kind));
  return NULL;
}

static inline int count_of(const heard *h, hn_event_kind kind)
{
  int count = 0;
  for (int i = 0; i < h->count; i++) count += h->event[i].kind == kind;
  return count;
}

/* Checks that control ends a run with a message that contains WORDS. */
static inline void expect_end(const char *body, const char *words)
{
  trial r = run_body(body, "impulse-sle", 0.01, 0.1);
  printf("  %s\n", r.summary.explanation);
  assert_true(r.summary.control_failed);
  if (!strstr(r.summary.explanation, words)) fail_msg("no word of \"%s\"", words);
  done(&r);
}

#endif

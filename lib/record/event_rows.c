/* event_rows.c - rows of a record for the events of a step (solver.h). */
#include "record/record_rows.h"

#include <stdlib.h>
#include <string.h>

const hn_record_field hn_event_fields[] = {
  { "step", "1", HN_CELL_WHOLE, 1, NULL },
  { "time", "s", HN_CELL_REAL, 1, NULL },
  { "kind", "1", HN_CELL_WHOLE, 1, NULL },
  { "body_a", "1", HN_CELL_BODY, 1, NULL },
  { "body_b", "1", HN_CELL_BODY, 1, NULL },
  { "joint", "1", HN_CELL_WHOLE, 1, NULL },
  { "impulse", "N s or N m s", HN_CELL_REAL, 1, NULL },
  { "friction", "N s", HN_CELL_REAL, 1, NULL },
  { "force", "N or N m", HN_CELL_REAL, 1, NULL },
  { "until", "s", HN_CELL_REAL, 1, NULL },
  { "angular", "N m s", HN_CELL_REAL, 1, NULL },
};
const int hn_event_nfields = sizeof hn_event_fields / sizeof *hn_event_fields;

int hn_event_words_make(hn_record_words *words, const hn_model *model)
{
  const size_t named = (size_t)model->njoint + (size_t)model->nforce;
  words[0] = (hn_record_words){ "kinds", calloc(HN_EVENT_KINDS, sizeof(char *)), HN_EVENT_KINDS };
  words[1] = (hn_record_words){ "joints", calloc(named + 1, sizeof(char *)), (int)named };
  if (!words[0].word || !words[1].word) return -1;
  for (int i = 0; i < HN_EVENT_KINDS; i++)
    words[0].word[i] = (char *)(uintptr_t)hn_event_name((hn_event_kind)i);
  for (int j = 0; j < model->njoint; j++) words[1].word[j] = model->joint[j].name;
  for (int f = 0; f < model->nforce; f++) words[1].word[model->njoint + f] = model->force[f].name;
  return 2;
}

void hn_event_words_free(hn_record_words *words, int count)
{
  for (int i = 0; i < count; i++) free(words[i].word);
}

/* Returns the number of the joint or force NAME in the words of the record, or -1. */
static int64_t find_number(const hn_model *model, const char *name)
{
  for (int j = 0; j < model->njoint && name; j++)
    if (strcmp(model->joint[j].name, name) == 0) return j;
  for (int f = 0; f < model->nforce && name; f++)
    if (strcmp(model->force[f].name, name) == 0) return model->njoint + f;
  return -1;
}

int hn_event_rows(hn_cell *cell, const hn_model *model, const hn_frame *frame)
{
  for (const hn_event *event = frame->event; event < frame->event + frame->nevent; event++) {
    const int64_t joint = find_number(model, event->joint);
    const hn_cell row[] = { { .whole = frame->index },  { .real = event->time },     { .whole = event->kind },
                            { .whole = event->a },      { .whole = event->b },       { .whole = joint },
                            { .real = event->impulse }, { .real = event->friction }, { .real = event->force },
                            { .real = event->until },   { .real = event->angular } };
    memcpy(cell, row, sizeof row);
    cell += hn_event_nfields;
  }
  return frame->nevent;
}

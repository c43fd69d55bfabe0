/* fields.h - reads a table written by a user of Lua into a C structure, and refuses unknown keys. */
#ifndef HN_FIELDS_H
#define HN_FIELDS_H

#include "sandbox.h"

typedef enum hn_field_kind {
  HN_FIELD_NUMBER,   /* `count` doubles: a number, or a table of `count` numbers */
  HN_FIELD_FLAG,     /* bool */
  HN_FIELD_TEXT,     /* const char *, valid as long as the table */
  HN_FIELD_BODY,     /* int: index of a body given by its handle or its name */
  HN_FIELD_SHAPE,    /* hn_shape */
  HN_FIELD_FRICTION, /* two doubles, kinetic and static: a number, or { static =, kinetic = } */
  /* hn_motion: a number, or { polynomial = { c0, c1, ... }, amplitude =, frequency =, phase = } */
  HN_FIELD_MOTION,
  HN_FIELD_OTHER /* any value: read by the caller */
} hn_field_kind;

enum { HN_MAX_FIELDS = 32 }; /* fields of one table */

typedef struct hn_field {
  const char *key; /* NULL: the entry at `position` */
  hn_field_kind kind;
  size_t offset;
  int count; /* number of doubles */
  int position;
  bool required;
} hn_field;

/* Fill OUT from the table at INDEX of the stack; entries that are absent stay unchanged. Returns a bit mask
 * of the fields present, bit i for fields[i]. WHAT starts the messages, such as `body "a"`. */
unsigned hn_fields_read(lua_State *L, int index, const char *what, const hn_field *fields, size_t count,
                        void *out);

/* Raises `what: unknown KIND "word"; did you mean ...?`. */
int hn_fields_unknown(lua_State *L, const char *what, const char *kind, const char *word,
                      const char *const *valid, size_t count);

/* Returns the index of WORD among the COUNT VALID ones; raises the error above if it is none of them. */
size_t hn_fields_word(lua_State *L, const char *what, const char *kind, const char *word,
                      const char *const *valid, size_t count);
/* Returns the reason named WORD; raises the error above unless it is one of ALLOWED, a set of bits 1 <<
 * reason. */
hn_reason hn_fields_reason(lua_State *L, const char *what, const char *word, unsigned allowed);

/* Returns the index of the body on top of the stack, given by its handle or its name. NAME names the argument
 * in messages. */
int hn_fields_body(lua_State *L, const char *what, const char *name);

/* Read COUNT numbers from the table on top of the stack, which messages call NAME. */
void hn_fields_vector(lua_State *L, const char *what, const char *name, int count, double *out);

/* Returns "nan", "-inf" or "inf": the printed sign of a NaN depends on the machine. */
const char *hn_fields_infinity(double value);

/* Returns the finite number at INDEX of the stack, which messages call NAME. */
double hn_fields_number(lua_State *L, int index, const char *what, const char *name);

/* Functions for modules written in Lua. core.fail(message) raises an error at the current line of the scene.
 * core.unknown(what, kind, word, list of valid words) raises the error of hn_fields_unknown. */
int hn_core_fail(lua_State *L);
int hn_core_unknown(lua_State *L);

#endif

/* nearest.c - the candidate that is meant by a misspelt word, or by the word of another program. */
#include "base.h"

#include <string.h>

/* ---- Words of other programs --------------------------------------------------------------------------- */

/* Words of other programs, without hyphens, underscores and capitals, and ours for the same thing. Ours must
 * be among the candidates: one word may have several rows. */
static const struct {
  const char *other, *ours;
} words[] = {
  { "dt", "step" },
  { "h", "step" },
  { "timestep", "step" },
  { "stepsize", "step" },
  { "t", "duration" },
  { "tend", "duration" },
  { "tmax", "duration" },
  { "tfinal", "duration" },
  { "tstop", "duration" },
  { "time", "duration" },
  { "endtime", "duration" },
  { "stoptime", "duration" },
  { "integrator", "solver" },
  { "method", "solver" },
  { "scheme", "solver" },
  { "o", "output" },
  { "simulate", "run" },
  { "sim", "run" },
  { "benchmark", "compare" },
  { "order", "converge" },
  { "convergence", "converge" },
  { "render", "draw" },
  { "show", "view" },
  { "gui", "view" },
  { "revolute", "hinge" },
  { "pin", "hinge" },
  { "prismatic", "slider" },
  { "translational", "slider" },
  { "spherical", "ball" },
  { "socket", "ball" },
  { "ballandsocket", "ball" },
  { "weld", "fixed" },
  { "rigid", "fixed" },
  { "cardan", "universal" },
  { "hooke", "universal" },
  { "rod", "distance" },
  { "link", "distance" },
  { "link", "body" },
  { "rigidbody", "body" },
  { "pointmass", "particle" },
  { "damper", "spring" },
  { "actuator", "motor" },
  { "static", "fixed" },
  { "pos", "position" },
  { "location", "position" },
  { "rot", "orientation" },
  { "rotation", "orientation" },
  { "quat", "orientation" },
  { "quaternion", "orientation" },
  { "attitude", "orientation" },
  { "angle", "axis_angle" },
  { "vel", "velocity" },
  { "linearvelocity", "velocity" },
  { "omega", "angular_velocity" },
  { "angvel", "angular_velocity" },
  { "com", "centre" },
  { "center", "centre" },
  { "mu", "friction" },
  { "rho", "density" },
  { "bounce", "restitution" },
  { "cor", "restitution" },
  { "m", "mass" },
  { "k", "stiffness" },
  { "c", "damping" },
  { "restlength", "length" },
  { "anchor", "at" },
  { "pivot", "at" },
  { "point", "at" },
  { "direction", "axis" },
  { "geometry", "shape" },
  { "geom", "shape" },
  { "collider", "shape" },
  { "cuboid", "box" },
  { "halfspace", "plane" },
  { "mesh", "convex" },
  { "hull", "convex" },
  { "r", "radius" },
  { "h", "height" },
};

/* Returns the next character of a word that counts, in lower case, and moves *TEXT behind it. */
static int next_letter(const char **text)
{
  while (**text == '-' || **text == '_') ++*text;
  const int letter = **text ? *(*text)++ : 0;
  return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

/* True if the words are the same but for hyphens, underscores, capitals, and "joint" at the end of WORD. */
static bool same_word(const char *word, const char *other)
{
  int a, b;
  do {
    const char *rest = word;
    a = next_letter(&word), b = next_letter(&other);
    if (a == 'j' && b == 0) {
      const char *joint = "joint";
      while (*joint && next_letter(&rest) == *joint) joint++;
      return !*joint && next_letter(&rest) == 0;
    }
  } while (a == b && a != 0);
  return a == b;
}

/* Returns the candidate that is the same word as WORD, or NULL. */
static const char *same_candidate(const char *word, const char *const *candidates, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (same_word(word, candidates[i])) return candidates[i];
  return NULL;
}

const char *hn_other_word(const char *word, const char *const *candidates, size_t count)
{
  const char *found = same_candidate(word, candidates, count);
  for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
    if (same_word(word, words[i].other)) found = same_candidate(words[i].ours, candidates, count);
  return found;
}

/* ---- Misspelt words ------------------------------------------------------------------------------------ */

enum { LONGEST_WORD = 64 };
enum { MEANT = 3 }; /* a candidate is suggested if at most one character in so many differs */

/* Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn A into B
 * (Damerau and Levenshtein, optimal string alignment), from three rows of the table. Longer words than
 * LONGEST_WORD have the largest distance. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t la = strlen(a), lb = strlen(b), table[3][LONGEST_WORD + 1];
  if (la > LONGEST_WORD || lb > LONGEST_WORD) return LONGEST_WORD;
  for (size_t j = 0; j <= lb; j++) table[0][j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t *row = table[i % 3];
    const size_t *above = table[(i - 1) % 3], *before = table[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      row[j] = best;
    }
  }
  return table[la % 3][lb];
}

const char *hn_nearest(const char *word, const char *const *candidates, size_t count)
{
  const char *best = hn_other_word(word, candidates, count);
  size_t smallest = best ? 0 : LONGEST_WORD;
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(word), other = strlen(candidates[i]),
                 longer = length > other ? length : other;
    const size_t distance = edit_distance(word, candidates[i]);
    if (MEANT * distance <= longer && distance < smallest) smallest = distance, best = candidates[i];
  }
  return best;
}

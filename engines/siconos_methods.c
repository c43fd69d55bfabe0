/* siconos_methods.c - the methods of Siconos, by dimension of the contacts. doc/engines/siconos.md has their
 * names and citations, and those that are left out. */
#include "engines/siconos_parts.h"

#include <string.h>

const char siconos_method_names[] =
  "nsgs,prox,nsn_ac,nsn_act,nsn_fb,nsn_nm,admm,aclm,tfp,pfp,vi_eg,vi_fpp,eg,fpp,"
  "dsfp,cpg,lemke,enum";

static const siconos_method methods[] = {
  { "nsgs", 2, SICONOS_FRICTION_2D_NSGS, SICONOS_BLOCKS },
  { "nsgs", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_BLOCKS },
  { "nsgs", 5, SICONOS_ROLLING_FRICTION_3D_NSGS, SICONOS_COLUMNS },
  { "prox", 3, SICONOS_FRICTION_3D_PROX, SICONOS_COLUMNS },
  { "nsn_ac", 3, SICONOS_FRICTION_3D_NSN_AC, SICONOS_COLUMNS },
  { "nsn_act", 3, SICONOS_FRICTION_3D_NSN_AC_TEST, SICONOS_COLUMNS },
  { "nsn_fb", 3, SICONOS_FRICTION_3D_NSN_FB, SICONOS_COLUMNS },
  { "nsn_nm", 3, SICONOS_FRICTION_3D_NSN_NM, SICONOS_COLUMNS },
  { "admm", 3, SICONOS_FRICTION_3D_ADMM, SICONOS_COLUMNS },
  { "aclm", 3, SICONOS_FRICTION_3D_ACLMFP, SICONOS_BLOCKS },
  { "tfp", 3, SICONOS_FRICTION_3D_TFP, SICONOS_BLOCKS },
  { "pfp", 3, SICONOS_FRICTION_3D_PFP, SICONOS_BLOCKS },
  { "vi_eg", 3, SICONOS_FRICTION_3D_VI_EG, SICONOS_BLOCKS },
  { "vi_fpp", 3, SICONOS_FRICTION_3D_VI_FPP, SICONOS_BLOCKS },
  { "eg", 3, SICONOS_FRICTION_3D_EG, SICONOS_BLOCKS },
  { "fpp", 3, SICONOS_FRICTION_3D_FPP, SICONOS_BLOCKS },
  { "dsfp", 3, SICONOS_FRICTION_3D_DSFP, SICONOS_BLOCKS },
  { "cpg", 2, SICONOS_FRICTION_2D_CPG, SICONOS_DENSE },
  { "lemke", 2, SICONOS_FRICTION_2D_LEMKE, SICONOS_DENSE },
  { "enum", 2, SICONOS_FRICTION_2D_ENUM, SICONOS_DENSE },
};
enum { METHODS = sizeof methods / sizeof *methods };

const siconos_method *siconos_method_for(int choice, int rows)
{
  const char *word = siconos_method_names;
  for (; choice > 0; choice--) word = strchr(word, ',') + 1;
  const size_t length = strcspn(word, ",");
  for (const siconos_method *m = methods; m < methods + METHODS; m++)
    if (strlen(m->name) == length && strncmp(m->name, word, length) == 0 && m->dimension >= rows) return m;
  return NULL;
}

/* special.c - scene.special: elliptic functions of GSL for closed-form references, with parameter m = k^2.
 *
 *   jacobi(u, m) -> sn, cn, dn     ellipK(m) = F(pi/2 | m)
 *   ellipF(phi, m) = integral of (1 - m sin^2)^(-1/2) */
#include "declare.h"
#include "fields.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_ellint.h>
#include <gsl/gsl_sf_elljac.h>
#include <math.h>

static void check(lua_State *L, const char *function, int status)
{
  if (status) hn_sandbox_fail(L, "%s: %s", function, gsl_strerror(status));
}

static double parameter(lua_State *L, int index, const char *function)
{
  double m = hn_fields_number(L, index, function, "m");
  if (!(m >= 0 && m <= 1)) hn_sandbox_fail(L, "%s: m must be from 0 to 1, not %g", function, m);
  return m;
}

static int jacobi(lua_State *L)
{
  double sn, cn, dn, u = hn_fields_number(L, 1, "jacobi", "u"), m = parameter(L, 2, "jacobi");
  check(L, "jacobi", gsl_sf_elljac_e(u, m, &sn, &cn, &dn));
  lua_pushnumber(L, sn);
  lua_pushnumber(L, cn);
  lua_pushnumber(L, dn);
  return 3;
}

static int ellip_k(lua_State *L)
{
  gsl_sf_result result;
  check(L, "ellipK", gsl_sf_ellint_Kcomp_e(sqrt(parameter(L, 1, "ellipK")), GSL_PREC_DOUBLE, &result));
  lua_pushnumber(L, result.val);
  return 1;
}

static int ellip_f(lua_State *L)
{
  gsl_sf_result result;
  double phi = hn_fields_number(L, 1, "ellipF", "phi"), m = parameter(L, 2, "ellipF");
  check(L, "ellipF", gsl_sf_ellint_F_e(phi, sqrt(m), GSL_PREC_DOUBLE, &result));
  lua_pushnumber(L, result.val);
  return 1;
}

int hn_special_push(lua_State *L)
{
  static const luaL_Reg functions[] = {
    { "jacobi", jacobi },
    { "ellipK", ellip_k },
    { "ellipF", ellip_f },
    { NULL, NULL },
  };
  luaL_newlib(L, functions);
  return 1;
}

/* test_scene_functions.c - functions of holonom.scene for geometry and references against their
 * definitions. The checks are Lua: a scene computes each figure a second way and fails if they differ. */
#include "written.h"

static void are_right(const char *checks)
{
  char text[4096];
  hn_error error = { "" };
  snprintf(text, sizeof text,
           "local function near(what, a, b, tolerance)\n"
           "  a = type(a) == 'table' and a or { a }\n"
           "  b = type(b) == 'table' and b or { b }\n"
           "  assert(#a == #b, what)\n"
           "  for i = 1, #a do\n"
           "    if not (math.abs(a[i] - b[i]) <= (tolerance or 1e-14)) then\n"
           "      error(string.format('%%s: %%.17g is not %%.17g', what, a[i], b[i]))\n"
           "    end\n  end\nend\n%s\n"
           "sys:particle { name = 'b', mass = 1, position = { 0, 0, 0 } }\nreturn sys",
           checks);
  write_scene(text);
  hn_scene *scene = hn_scene_load(path, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  hn_scene_free(scene);
}

/* v turned by 0.7 rad about a: Rodrigues' formula. No component is equal to another. */
static void rotations(void **state)
{
  (void)state;
  are_right("local a, v, w = { 2 / 7, 3 / 7, 6 / 7 }, { 0.3, -1.1, 0.5 }, 0.7\n"
            "local c = { a[2] * v[3] - a[3] * v[2], a[3] * v[1] - a[1] * v[3], a[1] * v[2] - a[2] * v[1] }\n"
            "near('cross', scene.cross(a, v), c)\n"
            "local along = a[1] * v[1] + a[2] * v[2] + a[3] * v[3]\n"
            "local expected = {}\n"
            "for i = 1, 3 do\n"
            "  expected[i] = v[i] * math.cos(w) + c[i] * math.sin(w) + a[i] * along * (1 - math.cos(w))\n"
            "end\n"
            "local q = scene.turn(2, 3, 6, w)\n"
            "near('rotate', scene.rotate(q, v), expected)\n"
            "local p = scene.turn(-1, 4, 2, 1.9)\n"
            "near('compose', scene.rotate(scene.compose(p, q), v), scene.rotate(p, scene.rotate(q, v)))\n"
            "near('add', scene.add(a, v, -3), { a[1] - 0.9, a[2] + 3.3, a[3] - 1.5 })\n"
            "near('add', scene.add(a, v), { a[1] + 0.3, a[2] - 1.1, a[3] + 0.5 })");
}

static void integrals_and_zeros(void **state)
{
  (void)state;
  are_right("near('integral', scene.integral(function(x) return x ^ 3 end, -1, 3), 20, 1e-13)\n"
            "near('integral', scene.integral(math.exp, 0, 2), math.exp(2) - 1, 1e-13)\n"
            "near('zero', scene.zero(function(x) return x ^ 3 - 5 end, 0, 4), 5 ^ (1 / 3))");
}

/* The pendulum's answer has the first integral theta'^2 = 2 omega^2 (cos theta - cos amplitude); it starts at
 * its amplitude; small ones oscillate as a cosine. */
static void pendulums(void **state)
{
  (void)state;
  are_right(
    "local omega, amplitude = 3, 1.2\n"
    "local function angle(t) local s, c = scene.pendulum(omega, amplitude, t) return math.atan(s, c) end\n"
    "near('start', angle(0), amplitude)\n"
    "for _, t in ipairs { 0.11, 0.4, 0.9, 2.3, 7 } do\n"
    "  local s, c = scene.pendulum(omega, amplitude, t)\n"
    "  near('sine and cosine', s * s + c * c, 1)\n"
    "  local rate = (8 * (angle(t + 1e-3) - angle(t - 1e-3)) - angle(t + 2e-3) + angle(t - 2e-3)) / 0.012\n"
    "  near('rate', rate ^ 2, 2 * omega ^ 2 * (c - math.cos(amplitude)), 1e-8)\n"
    "end\n"
    "local s = scene.pendulum(omega, 1e-6, 0.3)\n"
    "near('small', s, 1e-6 * math.cos(0.9), 1e-17)");
}

/* Integrals of Legendre's form by Simpson's rule; Jacobi's functions are those of the amplitude. */
static void elliptic_functions(void **state)
{
  (void)state;
  are_right("local n = 2000\n"
            "local function legendre(phi, m)\n"
            "  local sum = 0\n"
            "  for i = 0, n do\n"
            "    local weight = (i == 0 or i == n) and 1 or i % 2 == 1 and 4 or 2\n"
            "    sum = sum + weight / math.sqrt(1 - m * math.sin(phi * i / n) ^ 2)\n"
            "  end\n"
            "  return sum * phi / (3 * n)\n"
            "end\n"
            "for _, m in ipairs { 0, 0.04, 0.3, 0.7 } do\n"
            "  near('ellipK', scene.special.ellipK(m), legendre(math.pi / 2, m), 1e-12)\n"
            "  for _, phi in ipairs { 0.2, 0.9, 1.4 } do\n"
            "    local u = legendre(phi, m)\n"
            "    local sn, cn, dn = scene.special.jacobi(u, m)\n"
            "    near('ellipF', scene.special.ellipF(phi, m), u, 1e-12)\n"
            "    near('jacobi', { sn, cn, dn },\n"
            "      { math.sin(phi), math.cos(phi), math.sqrt(1 - m * math.sin(phi) ^ 2) }, 1e-12)\n"
            "  end\nend");
}

/* References at single times hold there and nowhere else. */
static void tables_of_references(void **state)
{
  (void)state;
  are_right("local rows = { [1] = { b = { 1, 2, 3 } }, [2.5] = { b = { position = { 4, 5, 6 } } } }\n"
            "local at = scene.table_reference(rows)\n"
            "near('at 1', at(1).b.position, { 1, 2, 3 })\n"
            "near('at 2.5', at(2.5).b.position, { 4, 5, 6 })\n"
            "assert(at(1.5) == nil and at(1 + 1e-6) == nil and at(0) == nil)");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rotations),          cmocka_unit_test(integrals_and_zeros),  cmocka_unit_test(pendulums),
    cmocka_unit_test(elliptic_functions), cmocka_unit_test(tables_of_references),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

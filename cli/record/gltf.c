/* gltf.c - records as animations: binary glTF 2.0 [Khronos, glTF 2.0 specification, ISO/IEC 12113:2022].
 *
 *   header, JSON, bytes:  vertices and indices of every shape, times [n], then for each moving body
 *                         positions [n], orientations [n]
 *
 * Frames arrive one after the other, but the file groups the numbers by body: a temporary file holds them
 * until the end. The system is rotated so that gravity points to -y, which is down in glTF. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include "base/vec.h"
#include "cli/base/gnuplot.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/record/gltf.h"
#include "cli/record/mesh.h"
#include "elementary.h"

enum { FLOAT = 5126, UNSIGNED = 5125, VERTICES = 34962, INDICES = 34963 }; /* codes of glTF */
enum { POSE = 7 };                                                         /* numbers of a body */

typedef struct geometry {
  const hn_shape *shape;
  cli_mesh mesh;
  int vertices, normals, indices; /* accessors */
} geometry;

typedef struct writer {
  const hn_record_layout *layout;
  FILE *spool;         /* for each frame the time, then poses of all bodies but the ground */
  float *frame;        /* [width] */
  size_t width, count; /* numbers of a frame; frames */
  float first, last;   /* times, s */
  hn_shape marker;     /* drawn for bodies without shapes */
  double extent;       /* half of a plane's side, m */
  geometry *geometry;
  size_t ngeometry;
  json_t *accessors, *views, *meshes, *nodes, *materials;
  int material[CLI_COLOURS]; /* of a colour, from 1; 0: none yet */
  size_t bytes;              /* of the binary part, so far */
} writer;

/* ---- Frames ------------------------------------------------------------------------------------------ */

static void *open_gltf(const hn_record_layout *layout, hn_error *error)
{
  writer *w = cli_alloc(1, sizeof *w);
  hn_state *state = hn_state_create(layout->model);
  const double size = state ? hn_model_size(layout->model, state) : 0.0;
  *w = (writer){ .layout = layout,
                 .spool = tmpfile(),
                 .width = 1 + POSE * (size_t)layout->group[1].count,
                 .marker = { .kind = HN_SPHERE, .size = { 0.02 * size } },
                 .extent = 2.0 * size };
  w->frame = cli_alloc(w->width, sizeof *w->frame);
  hn_state_free(state);
  if (state && w->spool) return w;
  hn_fail(error, "%s", state ? strerror(errno) : "out of memory");
  if (w->spool) fclose(w->spool);
  free(w->frame), free(w);
  return NULL;
}

/* Writes a frame. Times must increase even as floats: a frame that repeats the last time is skipped. */
static int write_gltf(void *user, hn_error *error)
{
  writer *w = user;
  const hn_record_group *bodies = &w->layout->group[1];
  const float time = (float)w->layout->group[0].cell[1].real;
  float *to = w->frame;
  if (w->count > 0 && time <= w->last) return 0;
  *to++ = time;
  for (int i = 0; i < bodies->count; i++) {
    const hn_cell *cell = bodies->cell + i * bodies->width, *q = cell + 3;
    for (int k = 0; k < 3; k++) *to++ = (float)cell[k].real;
    for (int k = 0; k < 4; k++) *to++ = (float)q[(k + 1) % 4].real; /* x, y, z, w */
  }
  if (fwrite(w->frame, sizeof *w->frame, w->width, w->spool) != w->width)
    return hn_fail(error, "%s", strerror(errno ? errno : EIO));
  if (w->count++ == 0) w->first = time;
  w->last = time;
  return 0;
}

/* ---- Accessors --------------------------------------------------------------------------------------- */

static int append(json_t *array, json_t *value)
{
  json_array_append_new(array, value);
  return (int)json_array_size(array) - 1;
}

static json_t *size_json(size_t number)
{
  return json_integer((json_int_t)number);
}

/* Adds a view of the next BYTES of the binary part. Returns its index. */
static int add_view(writer *w, size_t bytes, size_t stride, int target)
{
  json_t *view = json_pack("{s:i, s:o, s:o}", "buffer", 0, "byteOffset", size_json(w->bytes), "byteLength",
                           size_json(bytes));
  if (stride > 0) json_object_set_new(view, "byteStride", size_json(stride));
  if (target > 0) json_object_set_new(view, "target", json_integer(target));
  w->bytes += bytes;
  return append(w->views, view);
}

static int add_accessor(writer *w, int view, size_t offset, int component, size_t count, const char *type)
{
  return append(w->accessors,
                json_pack("{s:i, s:o, s:i, s:o, s:s}", "bufferView", view, "byteOffset", size_json(offset),
                          "componentType", component, "count", size_json(count), "type", type));
}

/* Adds minimum and maximum of COUNT vectors of WIDTH numbers, STRIDE apart. */
static void add_range(writer *w, int accessor, const float *value, size_t count, int width, size_t stride)
{
  json_t *to = json_array_get(w->accessors, (size_t)accessor), *minimum = json_array(),
         *maximum = json_array();
  for (int k = 0; k < width; k++) {
    float low = FLT_MAX, high = -FLT_MAX;
    for (const float *v = value + k; v < value + count * stride; v += stride)
      low = fminf(low, *v), high = fmaxf(high, *v);
    json_array_append_new(minimum, cli_json_real(low)), json_array_append_new(maximum, cli_json_real(high));
  }
  json_object_set_new(to, "min", minimum), json_object_set_new(to, "max", maximum);
}

/* ---- Shapes and bodies ------------------------------------------------------------------------------- */

static bool same_shape(const hn_shape *a, const hn_shape *b)
{
  return a->kind == b->kind && a->hull == b->hull && memcmp(a->size, b->size, sizeof a->size) == 0;
}

static const geometry *geometry_of(writer *w, const hn_shape *shape)
{
  for (size_t i = 0; i < w->ngeometry; i++)
    if (same_shape(w->geometry[i].shape, shape)) return &w->geometry[i];
  w->geometry = cli_grow(w->geometry, w->ngeometry + 1, sizeof *w->geometry);
  geometry *g = &w->geometry[w->ngeometry++];
  g->shape = shape;
  cli_mesh_make(&g->mesh, shape, w->extent);
  const size_t stride = 6 * sizeof(float);
  const int vertices = add_view(w, stride * g->mesh.nvertex, stride, VERTICES);
  const int indices = add_view(w, sizeof(uint32_t) * g->mesh.nindex, 0, INDICES);
  g->vertices = add_accessor(w, vertices, 0, FLOAT, g->mesh.nvertex, "VEC3");
  add_range(w, g->vertices, g->mesh.vertex, g->mesh.nvertex, 3, 6);
  g->normals = add_accessor(w, vertices, 3 * sizeof(float), FLOAT, g->mesh.nvertex, "VEC3");
  g->indices = add_accessor(w, indices, 0, UNSIGNED, g->mesh.nindex, "SCALAR");
  return g;
}

/* Returns a quaternion in the order of glTF: x, y, z, w. */
static json_t *quaternion_json(const double q[4])
{
  return cli_json_reals((const double[]){ q[1], q[2], q[3], q[0] }, 4);
}

/* Returns the material of a colour of the palette, converted from sRGB (gamma 2.2) to linear. */
static int material_of(writer *w, int colour)
{
  const long screen = strtol(cli_colour[colour] + 1, NULL, 16);
  double part[4] = { 0.0, 0.0, 0.0, 1.0 };
  if (w->material[colour] > 0) return w->material[colour] - 1;
  for (int k = 0; k < 3; k++) part[k] = hn_pow((double)((screen >> (16 - 8 * k)) & 255) / 255.0, 2.2);
  w->material[colour] = 1 + append(w->materials,
                                   json_pack("{s:{s:o, s:f, s:f}, s:b}", "pbrMetallicRoughness",
                                             "baseColorFactor", cli_json_reals(part, 4), "metallicFactor",
                                             0.0, "roughnessFactor", 0.7, "doubleSided", 1));
  return w->material[colour] - 1;
}

static int add_shape(writer *w, const hn_shape *shape, const hn_pose *place, int colour)
{
  const geometry *g = geometry_of(w, shape);
  json_t *primitive = json_pack("{s:{s:i, s:i}, s:i, s:i}", "attributes", "POSITION", g->vertices, "NORMAL",
                                g->normals, "indices", g->indices, "material", material_of(w, colour));
  const int mesh = append(
    w->meshes, json_pack("{s:s, s:[o]}", "name", hn_shape_name(shape->kind), "primitives", primitive));
  json_t *node = json_pack("{s:i}", "mesh", mesh);
  if (place) {
    json_object_set_new(node, "translation", cli_json_reals(place->x, 3));
    json_object_set_new(node, "rotation", quaternion_json(place->q));
  }
  return append(w->nodes, node);
}

/* Adds a node with the shapes of a body, or a marker, as children. Fixed bodies have the last colour. */
static int add_body(writer *w, int i)
{
  const hn_model *model = w->layout->model;
  const hn_body *body = &model->body[i];
  const int colour = body->kind == HN_FIXED ? CLI_COLOURS - 1 : (i - 1) % (CLI_COLOURS - 1);
  json_t *shapes = json_array();
  for (int c = body->collider; c < body->collider + body->ncollider; c++)
    append(shapes, json_integer(add_shape(w, &model->collider[c].shape, &model->collider[c].place, colour)));
  if (body->ncollider == 0 && i > 0 && w->marker.size[0] > 0.0)
    append(shapes, json_integer(add_shape(w, &w->marker, NULL, colour)));
  json_t *node = json_pack("{s:o, s:o, s:o}", "name", cli_json_string(body->name), "translation",
                           cli_json_reals(body->pose0.x, 3), "rotation", quaternion_json(body->pose0.q));
  if (json_array_size(shapes) > 0) json_object_set(node, "children", shapes);
  json_decref(shapes);
  return append(w->nodes, node);
}

/* Returns the smallest rotation of GRAVITY to -y; none without gravity. */
static json_t *gravity_rotation(const double gravity[3])
{
  const double size = vec_norm(gravity);
  double q[4] = { 1.0, 0.0, 0.0, 0.0 };
  if (size > 0.0) q[0] = 1.0 - gravity[1] / size, q[1] = gravity[2] / size, q[3] = -gravity[0] / size;
  if (q[0] < 1e-9) q[0] = 0.0, q[1] = 1.0, q[3] = 0.0; /* gravity points up: half a turn about x */
  quat_normalise(q);
  return quaternion_json(q);
}

/* ---- The animation ----------------------------------------------------------------------------------- */

static bool is_moving(const writer *w, int i)
{
  return w->layout->model->body[i].kind != HN_FIXED;
}

static json_t *animation(writer *w, const int *node)
{
  json_t *samplers = json_array(), *channels = json_array();
  static const struct {
    const char *path, *type;
    int width;
  } part[] = { { "translation", "VEC3", 3 }, { "rotation", "VEC4", 4 } };
  const int time = add_accessor(w, add_view(w, sizeof(float) * w->count, 0, 0), 0, FLOAT, w->count, "SCALAR");
  add_range(w, time, (const float[]){ w->first, w->last }, 2, 1, 1);
  for (int i = 1; i < w->layout->model->nbody; i++)
    for (int k = 0; k < 2 && is_moving(w, i); k++) {
      const int view = add_view(w, sizeof(float) * (size_t)part[k].width * w->count, 0, 0);
      const int output = add_accessor(w, view, 0, FLOAT, w->count, part[k].type);
      const int sampler = append(
        samplers, json_pack("{s:i, s:i, s:s}", "input", time, "output", output, "interpolation", "LINEAR"));
      append(channels, json_pack("{s:i, s:{s:i, s:s}}", "sampler", sampler, "target", "node", node[i], "path",
                                 part[k].path));
    }
  return json_pack("{s:s, s:o, s:o}", "name", "run", "samplers", samplers, "channels", channels);
}

static char *make_json(writer *w)
{
  const hn_model *model = w->layout->model;
  int *node = cli_alloc((size_t)model->nbody, sizeof *node);
  json_t *children = json_array();
  char *generator = cli_text("holonom %s", hn_version());
  w->accessors = json_array(), w->views = json_array(), w->meshes = json_array(), w->nodes = json_array();
  w->materials = json_array();
  for (int i = model->body[0].ncollider > 0 ? 0 : 1; i < model->nbody; i++)
    append(children, json_integer(node[i] = add_body(w, i)));
  const int root = append(w->nodes, json_pack("{s:s, s:o, s:o}", "name", "system", "rotation",
                                              gravity_rotation(model->gravity), "children", children));
  bool any = false;
  for (int i = 1; i < model->nbody; i++) any = any || is_moving(w, i);
  json_t *moving = any ? animation(w, node) : NULL;
  json_t *all = json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:o, s:o, s:o}", "asset", "version", "2.0",
                          "generator", generator, "scene", 0, "scenes", "nodes", root, "nodes", w->nodes,
                          "accessors", w->accessors, "bufferViews", w->views);
  if (json_array_size(w->meshes) > 0) json_object_set(all, "meshes", w->meshes);
  if (json_array_size(w->materials) > 0) json_object_set(all, "materials", w->materials);
  json_decref(w->meshes), json_decref(w->materials);
  if (moving) json_object_set_new(all, "animations", json_pack("[o]", moving));
  json_object_set_new(all, "buffers", json_pack("[{s:o}]", "byteLength", size_json(w->bytes)));
  char *text = cli_json_text(all);
  free(generator), free(node);
  return text;
}

/* ---- The file ---------------------------------------------------------------------------------------- */

static void write_series(const writer *w, const float *spool)
{
  FILE *out = w->layout->file;
  for (size_t n = 0; n < w->count; n++) fwrite(spool + n * w->width, sizeof *spool, 1, out);
  for (int i = 1; i < w->layout->model->nbody; i++) {
    const float *pose = spool + 1 + POSE * (i - 1);
    for (size_t n = 0; n < w->count && is_moving(w, i); n++)
      fwrite(pose + n * w->width, sizeof *spool, 3, out);
    for (size_t n = 0; n < w->count && is_moving(w, i); n++)
      fwrite(pose + 3 + n * w->width, sizeof *spool, 4, out);
  }
}

static void write_all(const writer *w, const char *json, const float *spool)
{
  FILE *out = w->layout->file;
  const size_t text = strlen(json), padded = (text + 3) / 4 * 4;
  const uint32_t head[] = { 0x46546C67 /* glTF */, 2, (uint32_t)(12 + 8 + padded + 8 + w->bytes),
                            (uint32_t)padded, 0x4E4F534A /* JSON */ };
  const uint32_t binary[] = { (uint32_t)w->bytes, 0x004E4942 /* BIN */ };
  fwrite(head, sizeof head, 1, out);
  fprintf(out, "%s%*s", json, (int)(padded - text), "");
  fwrite(binary, sizeof binary, 1, out);
  for (size_t i = 0; i < w->ngeometry; i++) {
    fwrite(w->geometry[i].mesh.vertex, 6 * sizeof(float), w->geometry[i].mesh.nvertex, out);
    fwrite(w->geometry[i].mesh.index, sizeof(uint32_t), w->geometry[i].mesh.nindex, out);
  }
  write_series(w, spool);
}

static int finish(writer *w, hn_error *error)
{
  const size_t size = sizeof(float) * w->width * w->count;
  char *json = make_json(w);
  if (w->bytes + strlen(json) > UINT32_MAX - 64) {
    free(json);
    return hn_fail(error,
                   "it would be larger than 4 GiB, which glTF cannot have: record fewer frames with --every");
  }
  const float *spool = fflush(w->spool) == 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(w->spool), 0)
                                             : MAP_FAILED;
  if (spool == MAP_FAILED) hn_fail(error, "%s", strerror(errno));
  else write_all(w, json, spool), munmap((void *)(uintptr_t)spool, size);
  free(json);
  if (spool == MAP_FAILED) return -1;
  return fflush(w->layout->file) == 0 && !ferror(w->layout->file) ? 0 : hn_fail(error, "%s", strerror(errno));
}

/* Returns 1 if the file is not complete. */
static int close_gltf(void *user, hn_record_end end, hn_error *error)
{
  writer *w = user;
  const int status = end == HN_RECORD_DROP || (end == HN_RECORD_KEEP && finish(w, error) == 0) ? 0 : 1;
  for (size_t i = 0; i < w->ngeometry; i++) cli_mesh_free(&w->geometry[i].mesh);
  fclose(w->spool);
  free(w->geometry), free(w->frame), free(w);
  return status;
}

const hn_record_type cli_gltf = { ".glb", false, open_gltf, write_gltf, close_gltf };

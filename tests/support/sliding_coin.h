/* sliding_coin.h - a coin that slides on its rim, at any scale. */
#ifndef HN_SLIDING_COIN_H
#define HN_SLIDING_COIN_H

#include "instants.h"

/* Writes an inclined coin that slides on its rim at SPEED, with the friction coefficient MU. Lengths, speeds
 * and gravity are multiplied by SCALE: times and angles remain. */
static inline void write_coin(double speed, double mu, double scale)
{
  char text[1200];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local k, speed, mu = %.17g, %.17g, %.17g\n"
           "local sys = scene.system { gravity = { 0, -9.81 * k, 0 } }\n"
           "local R, b, tilt = 0.3 * k, 0.02 * k, 0.8\n"
           "local s, c = math.sin(tilt), math.cos(tilt)\n"
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = mu,\n"
           "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'coin', density = 2000, friction = mu,\n"
           "           shape = scene.cylinder { radius = R, height = 2 * b },\n"
           "           position = { 0, R * s + b * c, 0 }, axis_angle = { 0, 0, 1, -tilt },\n"
           "           velocity = { 0, 0, speed * k } }\n"
           "sys:contact { margin = 0.02 * k }\nreturn sys",
           scale, speed, mu);
  write_bytes(text, strlen(text));
}

#endif

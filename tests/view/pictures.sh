#!/bin/bash
# pictures.sh - what `holonom view` sends of a run: the numbers of a picture against the record of the same run and against
# geometry, states of mouse springs and parameters, and changes of the model. Needs HOLONOM, the command, and
# python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
export HOLONOM
has_module hn_view || without "holonom view was not built"
cat >own.lua <<'SCENE'
local scene = require "holonom.scene"
local stiffness = scene.param("stiffness", 3, "of the spring", { live = true, low = 1, high = 9 })
local sys = scene.system { gravity = { 0.3, -0.2, -9.7 }, consistent = true }
local arm = sys:body { name = "arm", shape = scene.box { 0.3, 0.2, 0.5 }, density = 300, position = { 2, 1, 1.4 },
  angular_velocity = { 0.2, 1.1, 0.3 } }
sys:ball { sys.ground, arm, at = { 1.8, 0.9, 1.7 }, name = "pin" }
sys:body { name = "bead", shape = scene.sphere { radius = 0.2 }, density = 500, position = { 0.1, 0.2, 0.2 },
  velocity = { 0.7, 0.4, 0 }, friction = 0.3 }
sys:body { name = "floor", fixed = true, shape = scene.plane { normal = { 0.1, 0.2, 1 } }, position = { 0, 0, -0.05 },
  friction = 0.4 }
sys:spring { sys.ground, arm, at_a = { 0, 0, 3 }, at_b = { 2, 1, 1.4 }, stiffness = stiffness }
sys:contact {}
sys:defaults { solver = "xpbd", step = 0.01 }
return sys
SCENE
python3 "$source/tests/view/pictures.py" >results 2>err
status=$?
cat results err
passed=$(grep -c '^ok ' results); failed=$(grep -c '^FAILED ' results)
exits "all checks passed" 0
finish

#!/bin/bash
# modules.sh - the modules of the pages without a browser: data, geometry, colours, tables and charts are computed in
# node (modules.mjs) and compared with closed forms. Skipped, with the reason, without node or web/node_modules.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

command -v node >/dev/null || without "node is missing"
[ -e "$top/web/node_modules/esbuild" ] && [ -e "$top/web/node_modules/three" ] ||
  without "web/node_modules is missing: npm ci in web/"
node "$top/tests/view/modules.mjs" "$top" "$dir" >seen 2>err
counts "all checks of modules ran" $?
finish

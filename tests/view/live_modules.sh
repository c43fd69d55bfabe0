#!/bin/bash
# live_modules.sh - the modules of the live page without a browser: node runs them on models and pictures that
# the tests encode, with simple elements in place of a page (live_elements.mjs). Results are compared with
# closed forms. Skipped, with the reason, without node or web/node_modules. HOLONOM is needed by lib.sh only.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v node >/dev/null || without "node is missing"
# Modules of web/src find three and uplot in web/node_modules beside them.
for name in three uplot; do
  [ -e "$top/web/node_modules/$name/package.json" ] || without "web/node_modules is missing: npm ci in web/"
done

for file in live_data.mjs live_stage.mjs live_panels.mjs live_controls.mjs live_page.mjs; do
  timeout 100 node "$top/tests/view/$file" >seen 2>err
  counts "$file: all checks ran" $?
done
finish

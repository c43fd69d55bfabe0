#!/bin/sh
# embedding.sh - doc/embedding.md, literally: its program is saved, built with pkg-config against the build tree, and
# run; it prints the output of the text, and the hash of the command. Skipped without pkg-config or a compiler. Needs
# HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
text=$top/doc/embedding.md
build=$built
[ -e "$build/holonom-uninstalled.pc" ] || without "$build is no build tree"
command -v pkg-config >/dev/null && command -v cc >/dev/null || without "no pkg-config, or no cc"
if ldd "$build/.libs/libholonom.so" 2>/dev/null | grep -q 'lib[atu]*b*san'; then
  without "the library has sanitizers, which a program must be built with as well"
fi

awk '/^```c$/ { getline; name = $2; sub(/:$/, "", name); out = 1 } /^```$/ { out = 0 } out { print > name }' "$text"
[ -s swinging.c ]; verdict "swinging.c is in the text" $?
line=$(sed -n 's/^    \(cc .*\)/\1/p' "$text")
echo "$line" | grep -q 'pkg-config --cflags --libs holonom'; verdict "the build command is in the text" $?
PKG_CONFIG_PATH=$build sh -c "$line -Wall -Wextra -Wshadow -pedantic -Werror" >out 2>err
verdict "it builds by that command, without a warning" $?

./swinging >out 2>err; verdict "it runs" $?
sed -n 's/^    \(t = .*\)/\1/p; s/^    \(converged after .*\)/\1/p' "$text" >said
[ "$(wc -l <said)" -eq 6 ]; verdict "its output is in the text" $?
# Drift and the last digits of the energy are rounding errors, which depend on the compiler.
numbers() { sed 's/energy.*//' "$1"; }
numbers out >seen; numbers said >expected
diff expected seen >err; verdict "it prints the output of the text" $?
drift=$(sed -n 's/.*joints apart by \(.*\) m/\1/p' out | sort -g | tail -n 1)
awk -v drift="$drift" 'BEGIN { exit !(drift < 1e-12) }'; verdict "joint errors are small" $? "apart by $drift m, may be 1e-12"
echo "        joints apart by $drift m at most, may be 1e-12"

hash=$(sed -n 's/.*hash \(.*\)/\1/p' out)
command=$(sed -n 's/^    holonom \(run .*\)/\1/p' "$text")
run $command; exits "the command of the text: $command" 0
has "the hash is equal, $hash" out "^hash $hash\$"
finish

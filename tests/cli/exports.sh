#!/bin/sh
# exports.sh - exported names: the library exports the declarations of its public headers, a module the one table that
# it provides. Needs HOLONOM, the command of a build tree.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
: >err

exported() { # FILE : prints its exported names, except those of compilers
  nm -D --defined-only "$built/.libs/$1" | sed 's/.* //' | grep -v '^_' | sort
}

echo "# the library"
exported libholonom.so >names
cat "$top"/lib/*.h "$top/lua/scene.h" "$top/lua/study.h" |
  grep -oE '\bhn_[a-z0-9_]+' | sort -u >declared
grep -qx hn_solver_step names; held=$?; verdict "exports hn_solver_step, one of $(wc -l <names)" $held
undeclared=$(comm -23 names declared | tr '\n' ' ')
[ -z "$undeclared" ]; verdict "all of them are declared in a public header" $? "not declared: $undeclared"

soname=$(readelf -d "$built/.libs/libholonom.so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
abi=$(sed -n 's/^#define HN_ABI \([0-9]*\).*/\1/p' "$top/lib/base.h")
[ "$soname" = "libholonom.so.$abi" ]; verdict "the soname $soname contains HN_ABI, $abi" $?

echo "# modules"
for module in 'hn_petsc hn_petsc_backends hn_petsc_newton' 'hn_sundials hn_ida_sundials' 'hn_spqr hn_spqr_factor' 'hn_klu hn_klu_lu hn_klu_solve' 'hn_hdf5 hn_hdf5_fclib hn_hdf5_record hn_hdf5_table' 'hn_mpi hn_mpi'; do
  set -- $module
  has_module "$1" || continue
  file=$1.so
  shift
  [ "$(exported "$file" | tr '\n' ' ')" = "$* " ]; verdict "$file exports $*" $? "$(exported "$file" | tr '\n' ' ')"
done

finish

# lib.sh - common parts of the shell tests: a temporary directory; checks that print and count their results.
# To be sourced. Needs HOLONOM, the command; sets built, its directory. A test ends with finish.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir" "$dir.bin"' EXIT
# Start the program behind libtool's wrapper directly: the wrapper takes three times as long as a short run.
built=$(cd "$(dirname "$HOLONOM")" && pwd)
if [ -x "$built/.libs/holonom" ]; then
  mkdir "$dir.bin" || exit 1
  {
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n' "$built"
    echo 'export LD_LIBRARY_PATH'
    printf 'exec %s/.libs/holonom "$@"\n' "$built"
  } >"$dir.bin/holonom"
  chmod +x "$dir.bin/holonom"
  HOLONOM=$dir.bin/holonom
fi
cd "$dir" || exit 1
passed=0
failed=0

verdict() { # NAME STATUS [DETAIL]
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1)); echo "ok      $1"
  else
    failed=$((failed + 1)); echo "FAILED  $1${3:+ ($3)}"; sed 's/^/        stderr: /' err
  fi
}
run() { # ARGUMENTS... : runs the command; sets status, files out and err
  "$HOLONOM" "$@" >out 2>err
  status=$?
}
exits() { # NAME EXPECTED
  [ "$status" -eq "$2" ]; verdict "$1" $? "exit status $status, expected $2"
}
has() { # NAME FILE PATTERN
  grep -q -e "$3" "$2"; verdict "$1" $? "no match for: $3"
}
hasnt() { # NAME FILE PATTERN
  ! grep -q -e "$3" "$2"; verdict "$1" $? "unexpected match for: $3"
}
has_module() { # NAME : true if the loadable module NAME was built
  [ -e "$built/.libs/$1.so" ]
}
refused() { # NAME PATTERN ARGUMENTS... : status 2, one line on stderr that matches, nothing on stdout
  name=$1; pattern=$2; shift 2
  run "$@"
  lines=$(wc -l <err)
  [ "$status" -eq 2 ] && [ "$lines" -eq 1 ] && [ ! -s out ] &&
    grep -q -e '^holonom: ' err && grep -q -e "$pattern" err
  verdict "$name" $? "exit status $status, $lines lines, wanted 2 and: $pattern"
}
waits_for() { # TEST... : waits until the test succeeds, at most ten seconds
  tries=0
  while ! [ "$@" ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
}
stops() { # PID [SIGNAL] : ends a run that this script started, and waits for it; sets status
  kill -"${2:-INT}" "$1"
  trap - EXIT # the watchdog would inherit the trap if it is killed at its start
  (sleep 10; kill -KILL "$1") 2>/dev/null & # a run that does not stop must not fill the disk
  watchdog=$!
  wait "$1"; status=$?
  kill $watchdog 2>/dev/null
  trap 'rm -rf "$dir" "$dir.bin"' EXIT
}
finish() { # the closing line and the exit status
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]; exit
}
without() { # MISSING : ends the test as skipped, unless a check has failed before
  [ "$failed" -eq 0 ] || finish
  echo "SKIPPED: $1"; exit 77
}
with_browser() { # sets browser and playwright, its driver; without these or node the test is skipped
  command -v node >/dev/null || without "node is missing"
  browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    without "chromium is missing"
  playwright=$top/web/node_modules/playwright-core/index.mjs
  [ -e "$playwright" ] || without "web/node_modules is missing: npm ci in web/"
}
counts() { # NAME STATUS : counts the results of a program, one per line of the file seen
  verdict "$1" "$2"
  cat seen
  passed=$((passed + $(grep -c '^ok' seen)))
  failed=$((failed + $(grep -c '^FAILED' seen)))
}
python_with() { # MODULE... : sets python to an interpreter with these modules, or fails with a message
  for python in python3 /usr/bin/python3; do
    "$python" -c "import $(echo "$*" | tr ' ' ',')" 2>/dev/null && return 0
  done
  echo "FAILED  python3 with $* (Debian: python3-h5py, python3-jsonschema)"; failed=$((failed + 1)); return 1
}

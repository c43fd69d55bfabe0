#!/bin/sh
# profiles.sh - `holonom plot --profile`: performance profiles of tables, against profiles computed by hand. Needs
# HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
points() { # FILE : prints the points of its curves, rounded, and "e" after each
  sed -n 's/^\([0-9.e+-]* [0-9.e+-]*\)$/\1/p; s/^e$/e/p' "$1" | awk '$1 == "e" { print "e"; next } { printf "%.9g %.9g\n", $1, $2 }' | tr '\n' ';'
}

# Costs of a and b: 1, 2; 4, 1; none (budget), 3; none (above the tolerance), none;
# p5 could not be read. Factors of a: 1, 4; of b: 2, 1, 1.
cat >t.csv <<'CSV'
problem,solver,tolerance,reason,residual,symmetric_residual,iterations,seconds
p1,a,1e-8,converged,1e-9,,1,5e-3
p1,b,1e-8,converged,1e-9,,2,1e-3
p2,a,1e-8,converged,1e-3,1e-9,4,1e-3
p2,b,1e-8,converged,1e-8,,1,1e-9
p3,a,1e-8,budget,1e-9,,7,1e-3
p3,b,1e-8,converged,1e-9,,3,1e-3
p4,a,1e-8,converged,1.1e-8,,5,1e-3
p4,b,1e-8,stalled,1,,5,1e-3
p5,a,1e-8,error,,,,
p5,b,1e-8,error,,,,
CSV
run plot t.csv --profile --y iterations --output f.gp; exits "iterations" 0
[ "$(points f.gp)" = "1 0.25;4 0.25;4 0.5;4.8 0.5;e;1 0.5;2 0.5;2 0.75;4.8 0.75;e;" ]; verdict "the steps of both profiles" $? "$(points f.gp)"
has "factors on a logarithmic axis" f.gp '^set logscale x'; has "from 1" f.gp '^set xrange \[1:4\.[78]'; has "fractions from 0 to 1" f.gp '^set yrange \[0:1\]'
has "of 4 problems" f.gp "^set ylabel 'fraction of 4 problems solved'"; has "the cost" f.gp "^set xlabel 'iterations, relative to the best solver'"
has "lines without symbols" f.gp 'with lines lw'; has "curves are labelled" f.gp "^set label 'b' at graph 1.025"
# Times of a and b: 5, 1; 1000 and 1 us, 1e-9 s counting as 1 us; none, 1.
run plot t.csv --profile --output f.gp; exits "times, the default" 0
[ "$(points f.gp)" = "1 0;5 0;5 0.25;1000 0.25;1000 0.5;1200 0.5;e;1 0.75;1200 0.75;e;" ]; verdict "the steps of both profiles" $? "$(points f.gp)"
run plot t.csv --profile --where problem=p4 --y iterations --output f.gp; exits "a problem that nobody solves" 0
[ "$(points f.gp)" = "1 0;2 0;e;1 0;2 0;e;" ]; verdict "both profiles are 0" $? "$(points f.gp)"

# A second tolerance is a problem of its own; zero iterations count as 1.
sed 's/1e-8,/1e-4,/; 1d; 4,$d; s/,[0-9]*,\([^,]*\)$/,0,\1/' t.csv >more; cat more >>t.csv
run plot t.csv --profile --y iterations --output f.gp; exits "two tolerances" 0; has "5 problems" f.gp 'fraction of 5 problems'
run plot t.csv --profile --y iterations --where tolerance=1e-4 --output f.gp
[ "$(points f.gp)" = "1 1;2 1;e;1 1;2 1;e;" ]; verdict "one of them" $? "$(points f.gp)"
run plot t.csv --profile --name a=first --where tolerance=1e-8 --output f.png --width 85; exits "as a picture" 0
[ "$(head -c 4 f.png | tail -c 3)" = PNG ]; verdict "it has the format" $?
for width in 60 85 170; do # gnuplot leaves out titles for which there is no room
  run plot t.csv --profile --output f.svg --width $width; exits "as a drawing of $width mm" 0
  has "the title of the axis is in it" f.svg 'seconds, relative to the best solver'
done

echo "# misuse"
refused "an axis" "x has no meaning with --profile" plot t.csv --profile --x iterations --output f.gp
refused "curves" "by has no meaning" plot t.csv --profile --by problem --output f.gp
refused "an unknown cost" 'no column "iteration"; did you mean "*iterations' plot t.csv --profile --y iteration --output f.gp
sed -n 2p t.csv >more; cat more >>t.csv
refused "a run that occurs twice" "several rows of a on p1" plot t.csv --profile --output f.gp
printf 'solver,reason,seconds\na,converged,1\n' >u.csv
refused "a table without problems" 'no column "problem"' plot u.csv --profile --output f.gp
refused "no row" "nothing to draw" plot t.csv --profile --where problem=p9 --output f.gp
finish

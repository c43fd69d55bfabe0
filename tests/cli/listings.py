"""listings.py - compares the listings that listings.sh has written; a line per verdict."""
import csv
import json
import math
import re


def verdict(what, good, detail=""):
    print("%s %s%s" % ("ok     " if good else "FAILED ", what, " (%s)" % detail if detail else ""))


def load(name):
    return json.load(open(name, encoding="utf-8"))


# ---- Solvers and their parameters -------------------------------------------------------------------------
lines = [re.split(r"  +", line.strip()) for line in open("solvers.txt", encoding="utf-8")]
head = lines[0]
rows = {line[0]: line for line in lines[1:] if len(line) == len(head)}
solvers = load("solvers.json")
for column in ("limits", "friction"):
    at = head.index(column)
    off = [s["name"] for s in solvers if rows[s["name"]][at] != ("yes" if column in s["capabilities"] else "no")]
    both = {rows[s["name"]][at] for s in solvers}
    verdict("%s of %d solvers in both listings" % (column, len(solvers)), not off and both == {"yes", "no"}, " ".join(off))
for solver in ("impulse-gs", "lagrange", "xpbd", "moreau"):
    wrong = []
    for p in load(solver + ".json"):
        value = p["default"]
        good = (value in p["choices"].split(",") or p["key"] == "preset" if p["kind"] == "choice" else value in ("true", "false") if p["kind"] == "flag"
                else p["kind"] not in ("real", "integer") or math.isfinite(float(value)))
        if not good:
            wrong.append("%s=%s" % (p["key"], value))
    verdict("defaults of %s are values" % solver, not wrong, " ".join(wrong))

lift, = load("lifted.json")
verdict("a scene's parameter", lift["default"] == "0.25" and lift["help"] == "how high it starts", str(lift))

# ---- Rank -------------------------------------------------------------------------------------------------
text = re.findall(r"^(\S+) +(\d+) of (\d+) +([\d.]+)$", open("bricard.txt", encoding="utf-8").read(), re.M)
listed = load("bricard.json")["not_unique"]
rows_of = [int(t[1]) for t in text if t[0] == "P0"]
verdict("rows whose multipliers are not unique: 1 to 5 of 5", rows_of == [1, 2, 3, 4, 5] and {t[2] for t in text} == {"5"})
verdict("the same in JSON", len(listed) == 30 and len(text) > 10 and all(
    (e["joint"], e["row"]) == (t[0], int(t[1])) and abs(e["undetermined"] - float(t[3])) <= 5e-5 for e, t in zip(listed, text)))

# ---- A model ----------------------------------------------------------------------------------------------
brick = next(body for body in load("brick.json")["bodies"] if body["name"] == "brick")
verdict("velocities of a model", brick["velocity"] == [0.5, 0.6, 0.7] and brick["angular_velocity"] == [8, 9, 10])
verdict("its friction and restitution", [(s["friction"], s["restitution"]) for s in brick["shapes"]] == [(0.37, 0.12)])

# ---- Orders -----------------------------------------------------------------------------------------------
orders = load("orders.json")
fastest = math.sqrt(3 ** 2 + 48 ** 2 + 14 ** 2)
verdict("orders over five turns of the fastest body", abs(orders["duration"] - 5 * 2 * math.pi / fastest) < 1e-12, "%g s" % orders["duration"])
for solver in orders["solvers"]:
    for key, tolerance in re.findall(r"(\w*tolerance)=([-0-9.e]+)", solver["spec"]):
        verdict("%s: %s=%s is at most 1e-12" % (solver["solver"], key, tolerance), float(tolerance) <= 1e-12)
rungs = list(csv.DictReader(open("orders.csv", newline="", encoding="utf-8")))
for solver in orders["solvers"]:
    mine = [float(row["step_or_tolerance"]) for row in rungs if row["solver"] == solver["solver"]]
    verdict("%s: steps of the CSV fall" % solver["solver"], len(mine) > 5 and all(a > b for a, b in zip(mine, mine[1:])))
    for key, window in solver["windows"].items():
        if window["outcome"] == "fitted":
            inside = [x for x in mine if window["from"] >= x >= window["to"]]
            verdict("%s: window of %s" % (solver["solver"], key), len(inside) == window["count"] > 1, "%g to %g" % (window["from"], window["to"]))

# ---- Errors of converge, numbers of a study's table --------------------------------------------------------
rows = list(csv.DictReader(open("converge.csv", newline="", encoding="utf-8")))
runs = load("converge.json")["runs"]
verdict("converge: errors of the CSV are those of positions", len(rows) == len(runs) == 3 and all(
    float(row["error"]) == run["error"] > 0 for row, run in zip(rows, runs)))
table = [line.split() for line in open("table.txt", encoding="utf-8") if re.match(r"^ *0\.0", line)]
rows = list(csv.DictReader(open("table.csv", newline="", encoding="utf-8")))
verdict("numbers of a study's table have six digits", len(table) == len(rows) == 2 and all(
    abs(float(cell) - float(row[key])) <= 5e-6 * abs(float(row[key])) for cells, row in zip(table, rows)
    for cell, key in zip(cells, ("step", "error", "energy_error"))), str(table))

# ---- What is not known, and work above a budget -----------------------------------------------------------
contact = load("unknown.json")["contact"]
verdict("a balance that is not known is null", contact["balance_max"] is None and contact["penetration_max"] is not None, str(contact))
budget = load("budget.json")["runs"][0]
verdict("a run that costs more than its budget says so", budget["joint_operations"] > 100 and budget["reason"] == "budget",
        "%g, %s" % (budget["joint_operations"], budget["reason"]))
steps = [float(row["step"]) for row in csv.DictReader(open("report/work.csv", newline="", encoding="utf-8"))]
verdict("steps of a study are halved", len(steps) > 1 and all(b == a / 2 for a, b in zip(steps, steps[1:])), str(steps))

"""columns.py NAME PAGE - compares the figures of NAME.csv, NAME.json, NAME.txt, NAME.sweep.csv, NAME.report/,
NAME.compare.json, NAME.compare.txt and of the page PAGE, or no; a line per verdict. Called by columns.sh."""
import csv
import json
import math
import re
import sys

name, page = sys.argv[1:3]
rows = list(csv.DictReader(open(name + ".csv", newline="", encoding="utf-8")))
run = json.load(open(name + ".json", encoding="utf-8"))
sweep, = csv.DictReader(open(name + ".sweep.csv", newline="", encoding="utf-8"))
report = json.load(open(name + ".compare.json", encoding="utf-8"))
screen = open(name + ".txt", encoding="utf-8").read()
table = open(name + ".compare.txt", encoding="utf-8").read()


def verdict(what, good, detail=""):
    print("%s %s%s" % ("ok     " if good else "FAILED ", what, " (%s)" % detail if detail else ""))


def same(what, *values, digits=12):
    """Check that all values are equal to DIGITS digits."""
    values = [float(v) if v not in (None, "") else None for v in values]
    first = values[0]
    good = first is not None and all(v is not None and abs(v - first) <= 10.0 ** -digits * abs(first) for v in values)
    verdict(what, good, ", ".join(repr(v) for v in values))


def column(name):
    return [float(row[name] or "nan") for row in rows]


def largest(name):
    return max(column(name)[1:])


# ---- The summary of a run against its record --------------------------------------------------------------
energy = column("energy")
contact = run.get("contact", {})
same("joint error: record, run, sweep", largest("position_error"), run["joint_error"]["position_max"], sweep["drift"])
same("its rate", largest("velocity_error"), run["joint_error"]["velocity_max"], sweep["velocity_drift"])
same("energy at the start", energy[0], run["energy"]["initial"])
same("energy at the end", energy[-1], run["energy"]["final"])
same("energy error", max(abs(e - energy[0]) for e in energy), run["energy"]["error_max"],
     sweep["energy_error"] or run["energy"]["error_max"], digits=10)
same("operations", sum(float(row["operations"] or 0) for row in rows), sweep["operations"])
same("impulses", sum(float(row["impulses"] or 0) for row in rows), run["work"]["impulses"])
for key in ("residuals", "jacobians", "factorisations", "solves"):
    verdict("work: " + key, int(sweep[key]) == run["work"][key], sweep[key])
same("microseconds a step", 1e6 * run["cost"]["wall_s"] / run["steps"], run["cost"]["us_per_step"])
line = re.search(r"^time (\S+) s in steps, (\S+) us per step$", screen, re.M)
same("on the screen", 1e6 * float(line[1]) / run["steps"], line[2], digits=1.9)
verdict("hash", rows[-1]["hash"] == run["hash"] == sweep["hash"], run["hash"])
same("time", rows[-1]["time"], run["time"], sweep["time"])
same("steps", rows[-1]["step"], run["steps"], sweep["steps"])
per_step = run["work"]["impulses_per_step"]
counts = [float(row["impulses"]) for row in rows[1:]]
same("impulses per step", sum(counts) / len(counts), per_step["mean"], sweep["impulses"])
same("the least", min(counts), per_step["min"], sweep["impulses_least"])
same("the most", max(counts), per_step["max"], sweep["impulses_most"])
if contact:
    same("contacts", largest("contacts"), contact["count_max"], sweep["contacts"])
    same("penetration", largest("penetration"), contact["penetration_max"], sweep["penetration"])
    same("residual of the law", largest("contact_residual"), contact["residual_max"], sweep["contact_residual"])
    same("balance", largest("balance"), contact["balance_max"], sweep["balance"])
    same("cone excess", contact["cone_excess_max"], sweep["cone_excess"])
    same("energy gained", contact["energy_gain_max"], sweep["energy_gain"])
    of = [contact[key] for key in contact if key != "own_residual_max"]
    verdict("own residual: that of Coulomb's law where it is solved",
            (contact["law"] == "Coulomb") <= (contact["own_residual_max"] == contact["residual_max"]), contact["own_residual_max"])
    verdict("no two measures of contacts are equal", len(set(of)) == len(of), ", ".join(map(str, of)))

# ---- Bodies and joints ------------------------------------------------------------------------------------
parts = {"position": "x y z", "orientation": "qw qx qy qz", "velocity": "vx vy vz", "angular_velocity": "wx wy wz"}
worst = seen = 0
for body in run["bodies"]:
    for key, letters in parts.items():
        for letter, value in zip(letters.split(), body[key]):
            worst = max(worst, abs(float(rows[-1]["%s.%s" % (body["name"], letter)]) - value))
            seen += 1
verdict("states of bodies: record and run", worst == 0 and seen >= 26, "%d numbers, off by %g" % (seen, worst))
worst = seen = 0
for joint in run["joints"]:
    for key in ("force", "torque"):
        for letter, value in zip("xyz", joint.get(key, [])):
            worst = max(worst, abs(float(rows[-1]["%s.%s_%s" % (joint["name"], key, letter)]) - value))
            seen += 1
    for key, value in joint["coordinates"].items():
        worst = max(worst, abs(float(rows[-1]["%s.%s" % (joint["name"], key)]) - value["value"]))
        worst = max(worst, abs(float(rows[-1]["%s.%s_rate" % (joint["name"], key)]) - value["rate"]))
        seen += 2
verdict("forces and coordinates of joints", worst == 0 and seen > 0, "%d numbers, off by %g" % (seen, worst))

# ---- The screen -------------------------------------------------------------------------------------------
near = lambda text, value: abs(float(text) - value) <= 6e-3 * abs(value) + 1e-300
for label, value, unit in (
        ("joint error", run["joint_error"]["position_max"], "m, rad"), ("  its rate", run["joint_error"]["velocity_max"], "m/s, rad/s"),
        ("energy", run["energy"]["initial"], "J"), ("", run["energy"]["final"], "J")):
    line = re.search(r"^%s +([-0-9.e+]+) +%s +\S*" % (label, re.escape(unit)), screen, re.M)
    verdict("on the screen: %s, %s" % (label.strip() or "energy at the end", unit), bool(line) and near(line[1], value), line[1] if line else "absent")
for body in run["bodies"]:
    line = re.search(r"^%s +(\S+) +(\S+) +(\S+)$" % body["name"], screen, re.M)
    verdict("on the screen: the place of " + body["name"], bool(line) and all(
        abs(float(text) - value) < 1e-4 for text, value in zip(line.groups(), body["position"])))
for joint in run["joints"]:
    if "force" in joint:
        line = re.search(r"^%s +(\S+) +(\S+) +(\S+)" % joint["name"], screen[screen.index("joint force at the end, N"):], re.M)
        size = max(map(abs, joint["force"]))
        verdict("on the screen: the force of " + joint["name"], bool(line) and all(
            abs(float(text) - value) < 1e-4 * size for text, value in zip(line.groups(), joint["force"])))

# ---- Comparisons ------------------------------------------------------------------------------------------
first = report["runs"][0]
for key in ("joint_error", "energy", "hash", "work", "bodies"):
    verdict("compare: %s is that of the run" % key, first[key] == run[key])
cells = [line.split() for line in table.split("\n") if line.startswith(first["spec"] + " ")]
want = [first["error"], first["joint_error"]["position_max"], first["joint_error"]["velocity_max"], first["energy"]["error_max"],
        first["iterations"]["position_mean"], first["iterations"]["position_max"]]
verdict("compare: error, drift, velocity, energy and iterations on the screen",
        cells[0][1] == "converged" and all(near(text, v) for text, v in zip(cells[0][2:], want)), " ".join(cells[0][2:8]))
want = [first["errors"][key] for key in ("position", "orientation", "velocity", "force")]
verdict("compare: errors of all quantities", all(text == "-" if v is None else near(text, v) for text, v in zip(cells[1][1:], want)), " ".join(cells[1][1:]))
if contact:
    of = first["contact"]
    want = [of[key + "_max"] for key in ("count", "residual", "own_residual", "penetration", "balance", "cone_excess", "energy_gain")]
    verdict("compare: contacts", all(near(text, v) for text, v in zip(cells[2][1:], want)), " ".join(cells[2][1:]))

read = lambda path: list(csv.DictReader(open(path, newline="", encoding="utf-8")))
series = [row for row in read(name + ".report/series.csv") if row["solver"] == first["spec"]]
for there, here in (("time", "time"), ("joint_error", "position_error"), ("joint_velocity_error", "velocity_error")) + (
        (("contacts", "contacts"), ("penetration", "penetration"), ("law_of_contact", "contact_residual")) if contact else ()):
    verdict("series.csv: " + there, [float(row[there]) for row in series] == column(here)[1:], "%d steps" % len(series))
work = read(name + ".report/work.csv")
pairs = list(zip(work, report["work_precision"]))
for key, of in (("step", "step"), ("error", "error"), ("joint_operations", "joint_operations")):
    # operations have six digits there
    verdict("work.csv: " + key, len(pairs) == 6 and all(
        abs(float(a[key]) - b[of]) <= (1e-5 if key == "joint_operations" else 1e-14) * abs(b[of]) for a, b in pairs))
verdict("work.csv: a single measurement of time has no spread", all(float(row["wall_spread_s"]) == 0 for row in work))
verdict("work.csv: reasons", all(a["reason"] == b["reason"] for a, b in pairs))
errors = [row for row in read(name + ".report/errors.csv") if row["solver"] == first["spec"]]
for there, key in (("error", "position"), ("orientation_error", "orientation"), ("velocity_error", "velocity")):
    same("errors.csv: the largest " + there, max(float(row[there]) for row in errors), first["errors"][key])
markdown = open(name + ".report/report.md", encoding="utf-8").read()
listed = [line.split("|")[1:-1] for line in markdown.split("\n") if line.startswith("| " + first["spec"].replace("|", "\\|"))]
verdict("report.md: the table", near(listed[0][2], first["error"]) and near(listed[0][3], first["joint_error"]["position_max"])
        and near(listed[0][4], first["joint_error"]["velocity_max"]) and near(listed[0][5], first["energy"]["error_max"]))

uncertain = "uncertain by %.1e m" % report["reference"]["uncertainty"]
verdict("report.md and the screen: the reference is " + uncertain, uncertain in " ".join(markdown.split()) and uncertain in " ".join(table.split()))
# Each plot draws the column of its quantity.
plots = {"drift": "joint_error", "velocity_drift": "joint_velocity_error", "energy": "energy_error"}
if contact:
    plots.update(contacts="contacts", penetration="penetration", law="law_of_contact")
for plot, of in plots.items():
    script = open("%s.report/%s.gp" % (name, plot), encoding="utf-8").read()
    used = set(re.findall(r"'series.csv' .* using (\d+):\(shown\(\$(\d+)\)\)", script))
    verdict("%s.gp draws the column %s over time" % (plot, of), used == {("2", str(2 + list(series[0]).index(of) - 1))}, str(used))
script = open(name + ".report/work.gp", encoding="utf-8").read()
used = set(re.findall(r"'work.csv' .* using (\d+):\(\w+\(\$(\d+)", script))
verdict("work.gp draws the error over the joint operations", used == {("4", "3")}, str(used))
studied = markdown[markdown.index("## Error against work"):].split("\n")
times = [line.split("|")[5] for line in studied if line.startswith("|") and "converged" in line]
verdict("report.md: times of the study", len(times) == 6 and all(near(t, float(row["wall_s"])) for t, row in zip(times, work)), "; ".join(times))

# ---- The page ---------------------------------------------------------------------------------------------
if page != "no":
    text = open(page, encoding="utf-8").read()
    data = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.S)[1])
    of = data["runs"][0]
    for there, here in (("time", "time"), ("drift", "position_error"), ("velocity", "velocity_error")) + (
            (("contacts", "contacts"), ("penetration", "penetration"), ("law", "contact_residual")) if contact else ()):
        verdict("page: series of " + there, of["series"][there] == column(here)[1:])
    worst = max(abs(a - abs(e - energy[0])) for a, e in zip(of["series"]["energy"], energy[1:]))
    verdict("page: series of energy", worst <= 1e-12 * max(map(abs, energy)), "off by %g J" % worst)
    model = data["model"]
    verdict("page: gravity", model["gravity"] == [1.3, -8.7, 2.9])
    verdict("page: parameters", data["scene"]["parameters"] == [
        {"name": "touch", "value": "true" if contact else "false", "initial": "false", "help": "a brick falls onto the floor, too"}])
    bodies = {body["name"]: body for body in model["bodies"]}
    verdict("page: masses and moments", bodies["arm"]["mass"] == 2.3 and sorted(bodies["arm"]["inertia"]) == [0.21, 0.27, 0.34])
    for joint in model["joints"]:
        # the two points of a joint coincide at the start
        there = []
        for body, point in ((model["bodies"][joint["a"]], joint["point_a"]), (model["bodies"][joint["b"]], joint["point_b"])):
            w, x, y, z = body["orientation"]
            turn = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
            there.append([p + sum(r * c for r, c in zip(row, point)) for p, row in zip(body["position"], turn)])
        wanted = {"shoulder": [0.1, 0.2, 1.3], "wrist": [0.8, -0.9, 0.6]}[joint["name"]]
        off = max(math.dist(point, wanted) for point in there)
        verdict("page: the points of " + joint["name"], off < 1e-12, "off by %g m" % off)
    size, = [shape["size"] for shape in bodies["rod"]["shapes"]]
    verdict("page: edges of the rod", size == [0.35, 0.12, 0.21])
    verdict("page: citation, summary and solver", of["solver"] in of["summary"] + of["solver"] and of["citation"] != of["summary"])

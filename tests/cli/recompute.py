"""recompute.py joints|contacts RECORD.csv MODEL.json SWEEP.csv [COLUMN=BOUND...] - recomputes the columns of a record from
the states in it, and the measures of a sweep from the record. Prints a line for each column with its largest deviation
and the bound (default: 1e-9), both relative to the largest value of the column, which must not be zero. COLUMN=any: not
judged, because its values are zero or rounding."""
import csv
import json
import math
import sys


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def norm(a):
    return math.sqrt(dot(a, a))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotate(q, v):
    t = [2 * x for x in cross(q[1:], v)]
    return add(add(v, t, q[0]), cross(q[1:], t))


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def numbers(row, name, parts):
    return [float(row[name + "." + p]) for p in parts]


class Body:
    """A body in a frame of the record; the ground without a row."""

    def __init__(self, spec, row):
        self.spec = spec
        if spec["name"] == "ground":
            self.x, self.q, self.v, self.w = [0.0] * 3, [1.0, 0.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3
            return
        self.x = numbers(row, spec["name"], ("x", "y", "z"))
        self.q = numbers(row, spec["name"], ("qw", "qx", "qy", "qz"))
        self.v = numbers(row, spec["name"], ("vx", "vy", "vz"))
        self.w = numbers(row, spec["name"], ("wx", "wy", "wz"))

    def point(self, p):
        return add(self.x, rotate(self.q, p))

    def speed(self, x):
        return add(self.v, cross(self.w, add(x, self.x, -1)))

    def spin(self):  # angular momentum
        back = [self.q[0]] + [-c for c in self.q[1:]]
        return rotate(self.q, [j * w for j, w in zip(self.spec["inertia"], rotate(back, self.w))])


class Worst:
    """The largest deviation of each column, and its largest value."""

    def __init__(self):
        self.off, self.size = {}, {}

    def see(self, column, found, expected):
        pairs = zip(found, expected) if isinstance(found, list) else [(found, expected)]
        for f, e in pairs:
            self.off[column] = max(self.off.get(column, 0.0), abs(f - e))
            self.size[column] = max(self.size.get(column, 0.0), abs(e))

    def report(self, bounds):
        for column in sorted(c for c in self.off if bounds.get(c) != "any"):
            bound = float(bounds.get(column, 1e-9))
            size, relative = self.size[column], self.off[column] / (self.size[column] or 1.0)
            word = "ok     " if relative <= bound and size > 0.0 else "FAILED "
            print(word, "%s: off by %.1e of %.0e, largest %.3g" % (column, relative, bound, size))


def energy(model, bodies):
    sum = 0.0
    for b in bodies.values():
        if b.spec["kind"] != "rigid":
            continue
        sum += 0.5 * b.spec["mass"] * dot(b.v, b.v) + 0.5 * dot(b.w, b.spin()) - b.spec["mass"] * dot(b.spec["gravity"], b.x)
    for f in model["forces"]:
        length = norm(add(bodies[f["b"]].point(f["point_b"]), bodies[f["a"]].point(f["point_a"]), -1))
        sum += 0.5 * f["parameters"]["stiffness"] * (length - f["parameters"]["length"]) ** 2
    return sum


def ends(joint, bodies):
    a, b = bodies[joint["a"]], bodies[joint["b"]]
    return a, b, a.point(joint["point_a"]), b.point(joint["point_b"])


def axes(joint, a, b):
    return [rotate(a.q, e) for e in joint["axes_a"]], [rotate(b.q, e) for e in joint["axes_b"]]


def residual(joint, bodies):
    """Residuals of a joint and their rates."""
    a, b, pa, pb = ends(joint, bodies)
    span, rate = add(pb, pa, -1), add(b.speed(pb), a.speed(pa), -1)
    turn = add(b.w, a.w, -1)
    if joint["type"] == "ball":
        return span, rate
    if joint["type"] == "distance":
        length = norm(span)
        return [length - joint["parameters"]["length"]], [dot(span, rate) / length]
    e, f = axes(joint, a, b)
    if joint["type"] == "hinge":  # point on point; the axis of b across that of a
        return (span + [dot(e[k], f[0]) for k in (1, 2)],
                rate + [dot(e[k], cross(turn, f[0])) for k in (1, 2)])
    across = [dot(e[k], span) for k in (1, 2)]
    slip = [dot(e[k], add(rate, cross(a.w, span), -1)) for k in (1, 2)]
    tilt = [0.5 * sum(cross(e[k], f[k])[i] for k in range(3)) for i in range(3)]  # small rotation of b against a
    return across + tilt, slip + [dot(e[k], turn) for k in range(3)]


def coordinates(joint, bodies):
    a, b, pa, pb = ends(joint, bodies)
    e, f = axes(joint, a, b)
    if joint["type"] == "hinge":
        return math.atan2(dot(e[2], f[1]), dot(e[1], f[1])), dot(e[0], add(b.w, a.w, -1))
    span, rate = add(pb, pa, -1), add(b.speed(pb), a.speed(pb), -1)
    return dot(e[0], span), dot(e[0], rate)


def coil(force, bodies):
    a, b, pa, pb = ends(force, bodies)
    span = add(pb, pa, -1)
    length = norm(span)
    direction = [c / length for c in span]
    rate = dot(direction, add(b.speed(pb), a.speed(pa), -1))
    p = force["parameters"]
    return length, rate, -p["stiffness"] * (length - p["length"]) - p["damping"] * rate, direction, pa, pb


def loads(model, frame, row, name):
    """Force on a body and its moment about the centre of mass, from the columns of joints and springs."""
    body = frame[name]
    force, torque = [body.spec["mass"] * g for g in body.spec["gravity"]], [0.0] * 3
    def act(f, m, point, sign):
        nonlocal force, torque
        force = add(force, f, sign)
        torque = add(add(torque, m, sign), cross(add(point, body.x, -1), f), sign)
    for joint in model["joints"]:
        _, _, _, pb = ends(joint, frame)
        f = numbers(row, joint["name"], ("force_x", "force_y", "force_z"))
        m = numbers(row, joint["name"], ("torque_x", "torque_y", "torque_z"))
        for end, sign in (("a", -1.0), ("b", 1.0)):
            if joint[end] == name:
                act(f, m, pb, sign)
    for spring in model["forces"]:
        _, _, _, direction, pa, pb = coil(spring, frame)
        f = [float(row[spring["name"] + ".force"]) * c for c in direction]
        if spring["b"] == name:
            act(f, [0.0] * 3, pb, 1.0)
        if spring["a"] == name:
            act(f, [0.0] * 3, pa, -1.0)
    return force, torque


def frames_of(model, rows):
    return [{s["name"]: Body(s, row) for s in model["bodies"]} for row in rows]


def check_joints(worst, model, rows):
    frames = frames_of(model, rows)
    h = float(rows[1]["time"])
    for row, frame in zip(rows, frames):
        both = [residual(j, frame) for j in model["joints"]]
        worst.see("energy", float(row["energy"]), energy(model, frame))
        worst.see("position_error", float(row["position_error"]), max(norm(r[0]) for r in both))
        worst.see("velocity_error", float(row["velocity_error"]), max(norm(r[1]) for r in both))
        for joint in model["joints"]:
            for word in joint["coordinates"]:
                value, rate = coordinates(joint, frame)
                worst.see("." + word, float(row["%s.%s" % (joint["name"], word)]), value)
                worst.see("." + word + "_rate", float(row["%s.%s_rate" % (joint["name"], word)]), rate)
        for spring in model["forces"]:
            for word, value in zip(("value", "rate", "force"), coil(spring, frame)):
                worst.see("." + word, float(row["%s.%s" % (spring["name"], word)]), value)
    # the second law: central differences of the momenta against the loads, to h^2
    for k in range(1, len(rows) - 1):
        for name, body in frames[k].items():
            if name == "ground" or not rows[k]["root.force_x"]:
                continue
            before, after = frames[k - 1][name], frames[k + 1][name]
            force, torque = loads(model, frames[k], rows[k], name)
            worst.see(".force_xyz", force, [body.spec["mass"] * c / (2 * h) for c in add(after.v, before.v, -1)])
            worst.see(".torque_xyz", torque, [c / (2 * h) for c in add(after.spin(), before.spin(), -1)])


def height(shape, body, slope):
    """Lowest point of a shape above the plane."""
    plane = slope.spec["shapes"][0]
    n = rotate(slope.q, plane["normal"])
    above = dot(n, add(body.x, slope.x, -1))
    inside = rotate([body.q[0]] + [-c for c in body.q[1:]], n)
    if shape["kind"] == "sphere":
        return above - shape["radius"]
    if shape["kind"] == "capsule":
        return above - 0.5 * shape["height"] * abs(inside[1]) - shape["radius"]
    return above - 0.5 * sum(s * abs(c) for s, c in zip(shape["size"], inside))


def check_contacts(worst, model, rows, contacts, events):
    frames = frames_of(model, rows)
    h = float(rows[1]["time"])
    excess = [0.0] * len(rows)
    for k in range(1, len(rows)):
        now, then = frames[k], frames[k - 1]
        lines = [c for c in contacts if int(c["step"]) == k]
        sums = {name: ([0.0] * 3, [0.0] * 3) for name in now}
        impulse = {}
        worst.see("energy", float(rows[k]["energy"]), energy(model, now))
        worst.see("contacts", float(rows[k]["contacts"]), float(len(lines)))
        for c in lines:
            a, b = then[c["body_a"]], then[c["body_b"]]
            x = [float(c[w]) for w in ("x", "y", "z")]
            n = [float(c["normal_" + w]) for w in "xyz"]
            p, f = float(c["normal_impulse"]), [float(c["friction_" + w]) for w in "xyz"]
            slope = a.spec["shapes"][0]
            worst.see("normal", n, rotate(a.q, slope["normal"]))
            worst.see("gap", float(c["gap"]), dot(n, add(x, a.x, -1)))
            v = add(now[c["body_b"]].v, cross(now[c["body_b"]].w, add(x, b.x, -1)))
            worst.see("normal_velocity", float(c["normal_velocity"]), dot(v, n))
            worst.see("slip", [float(c["slip_" + w]) for w in "xyz"], add(v, n, -dot(v, n)))
            worst.see("friction across n", dot(f, n) + 1.0, 1.0)
            mu = math.sqrt(slope["friction"] * b.spec["shapes"][0]["friction"])
            excess[k] = max(excess[k], norm(f) - mu * p)
            total = add(f, n, p)
            linear, angular = sums[c["body_b"]]
            sums[c["body_b"]] = (add(linear, total), add(angular, cross(add(x, b.x, -1), total)))
            impulse[c["body_b"]] = impulse.get(c["body_b"], 0.0) + p
        deepest = 0.0
        for name, body in now.items():
            if body.spec["kind"] != "rigid":
                continue
            m, shape = body.spec["mass"], body.spec["shapes"][0]
            gained = [m * (v1 - v0 - h * g) for v1, v0, g in zip(body.v, then[name].v, body.spec["gravity"])]
            worst.see("impulses", sums[name][0], gained)
            if shape["kind"] == "sphere":
                worst.see("moments", sums[name][1], add(body.spin(), then[name].spin(), -1))
            deepest = max(deepest, -height(shape, body, now["slope"]))
            # without restitution, a contact with an impulse has closed at the end of the step, and no further
            if shape["kind"] == "sphere" and shape["restitution"] == 0.0 and impulse.get(name, 0.0) > 1e-6:
                worst.see("closed gap + 1 m", 1.0 + height(shape, body, now["slope"]), 1.0)
        worst.see("penetration + 1 m", 1.0 + float(rows[k]["penetration"]), 1.0 + deepest)
        for e in events:
            if int(e["step"]) == k and e["kind"] == "closed" and e["impulse"]:
                worst.see("event impulse", float(e["impulse"]), impulse[e["body_b"]])
    return max(excess)


def check_sweep(worst, rows, sweep, excess):
    def largest(column):
        return max(float(r[column]) for r in rows[1:] if r[column])
    worst.see("sweep time", float(sweep["time"]), float(rows[-1]["time"]))
    worst.see("sweep steps", float(sweep["steps"]), float(len(rows) - 1))
    if sweep["energy_error"]:  # nothing does work
        worst.see("sweep energy_error", float(sweep["energy_error"]),
                  max(abs(float(r["energy"]) - float(rows[0]["energy"])) for r in rows))
    worst.see("sweep impulses", float(sweep["impulses"]), sum(float(r["impulses"]) for r in rows[1:]) / (len(rows) - 1))
    if excess is None:
        worst.see("sweep drift", float(sweep["drift"]), largest("position_error"))
        worst.see("sweep velocity_drift", float(sweep["velocity_drift"]), largest("velocity_error"))
        return
    rises = [float(b["energy"]) - float(a["energy"]) for a, b in zip(rows, rows[1:])]
    worst.see("sweep contacts", float(sweep["contacts"]), largest("contacts"))
    worst.see("sweep penetration", float(sweep["penetration"]), largest("penetration"))
    worst.see("sweep contact_residual", float(sweep["contact_residual"]), largest("contact_residual"))
    worst.see("sweep balance", float(sweep["balance"]), largest("balance"))
    worst.see("sweep energy_gain", float(sweep["energy_gain"]), max(0.0, max(rises)))
    worst.see("sweep cone_excess", float(sweep["cone_excess"]), excess)


def main(kind, record, model, sweep):
    rows, worst, excess = read(record), Worst(), None
    model = json.load(open(model, encoding="utf-8"))
    if kind == "joints":
        check_joints(worst, model, rows)
    else:
        stem = record[: -len(".csv")]
        excess = check_contacts(worst, model, rows, read(stem + ".contacts.csv"), read(stem + ".events.csv"))
    check_sweep(worst, rows, read(sweep)[0], excess)
    worst.report(dict(word.split("=") for word in sys.argv[5:]))


main(*sys.argv[1:5])

"""pictures.py - checks for pictures.sh: what a page receives, against records and geometry. Prints a line per value."""
import csv, math, os, struct, subprocess, sys, time
from view_client import View, status_of_verdicts, verdict

HOLONOM = os.environ["HOLONOM"]
RADIUS, FLOOR = 0.2, (0, 0, -0.05)
ROUNDING = 6e-8  # of a number of 4 bytes


def near(name, found, wanted, bound):
    """Compare lists of numbers relative to the largest; bound 0 means equal."""
    size = max(map(abs, wanted)) or 1
    off = max(abs(f - w) for f, w in zip(found, wanted)) / size if len(found) == len(wanted) else math.inf
    verdict(f"{name}: off by {off:.1e}, bound {bound:.1e}", off <= bound, (found, wanted))


def turned(q, v):
    """Rotate v by the unit quaternion q."""
    w, *u = q
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * x for x in cross(u, v)]
    return [a + w * b + c for a, b, c in zip(v, t, cross(u, t))]


def after(page, **command):
    """Send a command; return the first status after the answer."""
    answer = page.do(**command)
    verdict(f"{command['do']} is done", answer is not None and answer["type"] == "done", answer)
    return page.wait(lambda t: t["type"] == "status")


def run_to(page, steps):
    page.do(do="play")
    until = time.monotonic() + 30
    while time.monotonic() < until and (not page.pictures or page.head()["steps"] < steps):
        page.read(0.05)
    page.do(do="pause"), page.read(0.3)


def record(steps):
    """Return the last line of a record of that many steps, with sums of its counts, the joint's force, and the contact."""
    subprocess.run([HOLONOM, "run", "./own.lua", "--duration", str(steps * 0.01), "--output", "own.csv", "--record-joints",
                    "--record-contacts"], check=True, stdout=subprocess.DEVNULL)
    lines = list(csv.DictReader(open("own.csv")))
    line = lines[-1] | {k: sum(float(each[k] or 0) for each in lines) for k in ("impulses", "operations")}
    *_, contact = csv.DictReader(open("own.contacts.csv"))
    number = lambda row, *names: [float(row[name]) for name in names]
    return line, number(line, *(f"pin.force_{k}" for k in "xyz")), contact


def pictures():
    print("# a picture against a record of the same run")
    view = View("./own.lua", "--paused")
    page = view.page()
    page.do(do="want", contacts=True, forces=True, boxes=True)
    run_to(page, 30)
    head, data = page.head(), page.pictures[1]
    view.end()
    line, force, contact = record(int(head["steps"]))
    verdict(f"{head['steps']:.0f} steps in both", head["steps"] == float(line["step"]) >= 30, line["step"])
    verdict("two bodies, a joint, a contact, boxes of three shapes",
            [head[k] for k in ("bodies", "joints", "contacts", "boxes")] == [2, 1, 1, 3], head)
    for mine, theirs in [("time", "time"), ("energy", "energy"), ("drift", "position_error"), ("velocity_drift", "velocity_error"),
                         ("penetration", "penetration"), ("impulses", "impulses"), ("operations", "operations")]: # the counts are those of all steps
        near(f"{mine} of the head", [head[mine]], [float(line[theirs])], 0)
    numbers = [float(line[k]) for k in ("energy", "position_error", "velocity_error", "penetration")]
    verdict("no two of these are equal", len(set(numbers)) == 4, numbers)
    poses = struct.unpack_from("<14d", data, 128)
    for i, name in enumerate(["arm", "bead"]):
        pose = [float(line[f"{name}.{k}"]) for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
        near(f"pose of {name}", poses[7 * i:7 * i + 7], pose, 0)
    rest = struct.unpack_from(f"<{3 + 12 + 18}f", data, 128 + 8 * 14)
    near("force in the joint", rest[:3], force, ROUNDING)
    at, normal, impulse, (friction, gap, _) = rest[3:6], rest[6:9], rest[9:12], rest[12:15]
    size = math.sqrt(0.01 + 0.04 + 1)
    n = [0.1 / size, 0.2 / size, 1 / size]
    near("normal of the contact", normal, n, ROUNDING)
    height = sum(k * (x - f) for k, x, f in zip(n, poses[7:10], FLOOR))
    verdict(f"gap {gap:.4e} m, {height - RADIUS:.4e} of the pose", abs(gap - (height - RADIUS)) < 1e-12)
    near("point of the contact", at, [x - RADIUS * k for x, k in zip(poses[7:10], n)], ROUNDING)
    p = float(contact["normal_impulse"])
    near("impulse of the contact", impulse, [p * k + float(contact[f"friction_{c}"]) for k, c in zip(n, "xyz")], 2 * ROUNDING)
    near("its coefficient of friction", [friction], [math.sqrt(0.3 * 0.4)], ROUNDING)
    box = rest[15 + 6:15 + 12]
    near("box around the bead", box, [x - RADIUS for x in poses[7:10]] + [x + RADIUS for x in poses[7:10]], 2 * ROUNDING)


def states():
    print("# mouse springs, parameters and changes of the model")
    view = View("./own.lua", "--paused")
    page = view.page()
    run_to(page, 20)
    pose = struct.unpack_from("<7d", page.pictures[1], 128)
    x, q = pose[:3], pose[3:]
    at, to = [x[0] + 0.1, x[1] - 0.07, x[2] + 0.2], [1.1, 2.2, 3.3]
    after(page, do="grip", id="g", body="arm", at=at, stiffness=2, damping=1)
    grip = after(page, do="target", id="g", to=to)["grips"][0]
    near("target of a mouse spring", grip["target"], to, 0)
    near("its point, in the axes of the body", grip["point"], turned([q[0], -q[1], -q[2], -q[3]], [0.1, -0.07, 0.2]), 1e-15)
    parameter = after(page, do="set", name="stiffness", value="5")["parameters"][0]
    verdict("a parameter has its value and its default", (parameter["value"], parameter["default"]) == ("5", "3"), parameter)
    before = page.head()["generation"]
    page.send(do="add", name="crumb", shape="sphere", size=[0.1], at=[0, 0, 3], mass=0.1)
    model = page.wait(lambda t: t["type"] == "model") or {"model": {"bodies": []}}
    names = [body["name"] for body in model["model"]["bodies"]]
    verdict("an added body is in the model that a page receives", "crumb" in names, names)
    page.read(0.3)
    verdict("and in pictures of the next generation", page.head()["generation"] == before + 1 == model["generation"]
            and page.head()["bodies"] == 3, page.head())
    view.end()


for test in [pictures, states]:
    test()
sys.exit(status_of_verdicts())

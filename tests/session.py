"""session.py - prints a session of commands of all kinds at random steps, the same for the same seed."""
import argparse, json, random, subprocess, sys

p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
p.add_argument("--count", type=int, default=200)
p.add_argument("--steps", type=int, default=3000)
p.add_argument("--head", required=True, help="first line, JSON")
p.add_argument("--solvers", nargs="+", default=[])
p.add_argument("--bodies", nargs="+", required=True, help="NAME:X:Y:Z, about where it is")
p.add_argument("--motors", nargs="*", default=[])
p.add_argument("--set", nargs="*", default=[], help="NAME=LOW:HIGH")
a = p.parse_args()
r = random.Random(a.seed)
print(a.head)
bodies = [(name, [float(x) for x in at]) for name, *at in (body.split(":") for body in a.bodies)]
held, made = {}, 0  # where hands are
near = lambda place, size: [x + r.uniform(-size, size) for x in place]
vector = lambda size: [r.uniform(-size, size) for _ in range(3)]
for at in sorted(r.randrange(a.steps) for _ in range(a.count)):
    kinds = ["impulse", "grip", "target", "release", "solver", "step", "pause", "play", "speed", "reset"]
    kinds += ["input"] * bool(a.motors) + ["set"] * bool(a.set)
    kind = r.choices(kinds, [6, 4, 8, 3, 2, 2, 1, 1, 1, 0.3] + [4] * bool(a.motors) + [2] * bool(a.set))[0]
    if kind in ("target", "release") and not held or kind == "grip" and len(held) > 3:
        kind = "impulse"
    command = {"at_step": at, "do": kind}
    if kind == "impulse":
        name, place = r.choice(bodies)
        command |= {"body": name, "at": near(place, 0.3), "impulse": vector(0.5)}
    elif kind == "grip":
        made += 1
        name, place = r.choice(bodies)
        held[f"g{made}"] = place
        command |= {"id": f"g{made}", "body": name, "at": near(place, 0.3), "stiffness": r.uniform(1, 20),
                    "damping": r.uniform(0, 1)}
    elif kind == "target":
        name = r.choice(list(held))
        command |= {"id": name, "to": near(held[name], 0.5)}
    elif kind == "release":
        name = r.choice(list(held))
        del held[name]
        command |= {"id": name}
    elif kind == "solver":
        command |= {"spec": r.choice(a.solvers)}
    elif kind == "step":
        command |= {"size": r.choice([0.0005, 0.001, 0.002])}
    elif kind == "speed":
        command |= {"factor": r.choice([0.5, 1, 2])}
    elif kind == "input":
        command |= {"of": r.choice(a.motors), "value": r.uniform(-1, 1)}
    elif kind == "set":
        name, span = r.choice(a.set).split("=")
        low, high = map(float, span.split(":"))
        command |= {"name": name, "value": repr(r.uniform(low, high))}
    elif kind == "reset":
        held = {}
    print(json.dumps(command))
print(json.dumps({"at_step": a.steps, "do": "end"}))

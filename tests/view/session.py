"""session.py - prints a session of random commands of all kinds at random steps, reproducible by its seed."""
import argparse, json, random, subprocess, sys

p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
p.add_argument("--count", type=int, default=200)
p.add_argument("--steps", type=int, default=3000)
p.add_argument("--head", required=True, help="first line, JSON")
p.add_argument("--solvers", nargs="+", default=[])
p.add_argument("--bodies", nargs="+", required=True, help="NAME:X:Y:Z, approximate position")
p.add_argument("--motors", nargs="*", default=[])
p.add_argument("--set", nargs="*", default=[], help="NAME=LOW:HIGH")
p.add_argument("--add", action="store_true", help="also add bodies")
p.add_argument("--no-world", action="store_true", help="no commands that create another world, except resets")
a = p.parse_args()
r = random.Random(a.seed)
print(a.head)
bodies = [(name, [float(x) for x in at]) for name, *at in (body.split(":") for body in a.bodies)]
held, made, slots = {}, 0, {}  # positions of mouse springs, number of names, mouse springs of saved slots
near = lambda place, size: [x + r.uniform(-size, size) for x in place]
vector = lambda size: [r.uniform(-size, size) for _ in range(3)]
for at in sorted(r.randrange(a.steps) for _ in range(a.count)):
    kinds = ["impulse", "grip", "target", "release", "solver", "step", "pause", "play", "speed", "reset"]
    weights = [6, 4, 8, 3, 2, 2, 1, 1, 1, 0.3]
    more = [("input", 4, a.motors), ("set", 2, a.set), ("add", 1, a.add), ("save", 1, not a.no_world),
            ("load", 1, slots and not a.no_world)]
    kinds += [kind for kind, _, there in more if there]
    kind = r.choices(kinds, weights + [weight for _, weight, there in more if there])[0]
    if kind == "grip" and a.no_world:
        kind = "impulse"
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
    elif kind == "add":
        made += 1
        name, place = r.choice(bodies)
        shape = r.choice([{"shape": "sphere", "size": [r.uniform(0.1, 0.3)]},
                          {"shape": "box", "size": [r.uniform(0.2, 0.5) for _ in range(3)]}])
        command |= {"name": f"b{made}", "at": [place[0], place[1], place[2] + 0.3 * made], "density": 100} | shape
        command |= r.choice([{}, {"velocity": vector(0.5), "friction": 0.3, "restitution": 0.2}])
    elif kind == "save":
        command |= {"slot": r.choice([1, 2])}
        slots[command["slot"]] = dict(held)
    elif kind == "load":
        command |= {"slot": r.choice(list(slots))}
        held = dict(slots[command["slot"]])
    elif kind == "reset":
        held = {}
    print(json.dumps(command))
print(json.dumps({"at_step": a.steps, "do": "end"}))

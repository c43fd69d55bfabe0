#!/usr/bin/env python3
"""rods.py - an external solver for Holonom (doc/external.md): particles under gravity on rods, by RATTLE, of
order 2. All else is refused by its name."""
import json
import sys


def reply(**answer):
    print(json.dumps(answer), flush=True)


def cannot(model):
    """Returns why the model is not for this program, or None."""
    for body in model["bodies"]:
        if body["kind"] == "rigid":
            return f"body {body['name']} is rigid: rods.py has particles only"
    for joint in model["joints"]:
        if joint["type"] != "distance":
            return f"joint {joint['name']} is of type {joint['type']}: rods.py has distances only"
    if model["forces"] or model["collides"]:
        return "rods.py has neither forces nor contacts"
    return None


def rods_of(model):
    number = {body["name"]: i for i, body in enumerate(model["bodies"])}
    fixed = lambda i, point: point if model["bodies"][i]["kind"] == "fixed" else [0.0, 0.0, 0.0]
    rods = []
    for joint in model["joints"]:
        a, b = number[joint["a"]], number[joint["b"]]
        rods.append((a, b, fixed(a, joint["point_a"]), fixed(b, joint["point_b"]), joint["parameters"]["length"]))
    return rods


def correct(rods, weight, x, move, target):
    """Moves bodies along the rods at x until every target is met, by Gauss and Seidel."""
    for sweep in range(10000):
        worst = 0.0
        for a, b, pa, pb, length in rods:
            along = [x[b][k] + pb[k] - x[a][k] - pa[k] for k in range(3)]
            error, slope = target(a, b, pa, pb, length, along)
            size = -error / ((weight[a] + weight[b]) * slope)
            for k in range(3):
                move[a][k] -= weight[a] * size * along[k]
                move[b][k] += weight[b] * size * along[k]
            worst = max(worst, abs(error))
        if worst < 1e-13:
            return
    raise ArithmeticError("the rods do not hold after 10000 sweeps")


def step(model, rods, bodies, h):
    weight = [0.0 if body["kind"] == "fixed" else 1.0 / body["mass"] for body in model["bodies"]]
    g = [body["gravity"] if w else [0.0, 0.0, 0.0] for body, w in zip(model["bodies"], weight)]
    x = [body[:3] for body in bodies]
    half = [[v + 0.5 * h * a for v, a in zip(body[7:10], g[i])] for i, body in enumerate(bodies)]
    end = [[p + h * v for p, v in zip(x[i], half[i])] for i in range(len(x))]

    def length_error(a, b, pa, pb, length, along):
        now = [end[b][k] + pb[k] - end[a][k] - pa[k] for k in range(3)]
        return sum(d * d for d in now) - length * length, 2.0 * sum(d * e for d, e in zip(now, along))

    before = [list(p) for p in end]
    correct(rods, weight, x, end, length_error)
    for i in range(len(x)):
        half[i] = [v + (p - q) / h for v, p, q in zip(half[i], end[i], before[i])]
    v = [[u + 0.5 * h * a for u, a in zip(half[i], g[i])] for i in range(len(x))]

    def rate_error(a, b, pa, pb, length, along):
        return sum(d * (v[b][k] - v[a][k]) for k, d in enumerate(along)), sum(d * d for d in along)

    correct(rods, weight, end, v, rate_error)
    return [end[i] + body[3:7] + v[i] + body[10:13] for i, body in enumerate(bodies)]


def main():
    model = json.loads(sys.stdin.readline())["model"]
    why = cannot(model)
    reply(**({"unsupported": why} if why else {"name": "rods.py", "version": "1", "order": 2}))
    rods = rods_of(model) if not why else []
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply(bodies=step(model, rods, request["bodies"], request["step"]))
        except ArithmeticError as failure:
            reply(error=str(failure))


main()

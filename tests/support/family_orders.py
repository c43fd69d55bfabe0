"""Compares the fitted orders in files of `converge --all --json` with the declared ones.

Prints a line for each solver, scene and quantity, and one for each solver that counts the scenes. The exit status is 1 if
an order is not within its bound, or a solver shows orders on fewer scenes than asked.
"""
import json
import sys

QUANTITIES = {"order": "position", "orientation_order": "orientation", "velocity_order": "velocity",
              "force_order": "joint force"}
COUNTED = ("order", "velocity_order", "force_order")
SCENES = 10


def bound(declared):
    return 0.3 if declared >= 8 else 0.1


def examine(scene, row, shown):
    """Prints the orders of one solver on one scene; returns the number of wrong ones."""
    wrong = 0
    for key, name in QUANTITIES.items():
        window = (row.get("windows") or {}).get(key) or {}
        measured, declared = row.get(key), row["declared_order"]
        if measured is None:
            if window.get("outcome") in ("round-off", "unsettled", "cut", "failed"):
                print(f"  {row['solver']:34} {scene:20} {name:12} {window['outcome']}")
            continue
        good = abs(measured - declared) <= bound(declared)
        wrong += not good
        if key in COUNTED:
            shown.setdefault(row["solver"], {}).setdefault(key, set()).add(scene)
        print(f"  {row['solver']:34} {scene:20} {name:12} {measured:7.3f}  expected {declared} +- {bound(declared)}"
              + ("" if good else "  FAILED"))
    return wrong


def main(paths):
    wrong, shown, solvers = 0, {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        for row in table["solvers"]:
            if row["solver"] not in solvers:
                solvers.append(row["solver"])
            wrong += examine(path.removeprefix("orders-").removesuffix(".json"), row, shown)
    for solver in solvers:
        for key in shown.get(solver, {"order": ()}):
            count = len(shown.get(solver, {}).get(key, ()))
            wrong += count < SCENES
            print(f"  {solver:34} {QUANTITIES[key]:12} on {count} scenes, at least {SCENES}"
                  + ("" if count >= SCENES else "  FAILED"))
    return wrong > 0


sys.exit(main(sys.argv[1:]))

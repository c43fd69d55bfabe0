"""Compares the fitted orders in files of `converge --all --json` with the declared ones.

Prints a line for each solver, scene and quantity, and one for each solver and quantity that counts the scenes whose order
is within its bound. The exit status is 1 if these are fewer than ten, or if converge marks an order as too low.
"""
import json
import sys

QUANTITIES = {"order": "position", "velocity_order": "velocity", "force_order": "joint force"}
UNFITTED = ("round-off", "unsettled", "cut", "failed")
SCENES = 10


def bound(declared):
    return 0.3 if declared >= 8 else 0.1


def examine(scene, row, shown):
    """Prints the orders of one solver on one scene; returns the number of those that are marked."""
    marked = 0
    for key, name in QUANTITIES.items():
        window = (row.get("windows") or {}).get(key) or {}
        measured, declared = row.get(key), row["declared_order"]
        start = f"  {row['solver']:34} {scene:20} {name:12} "
        if measured is None:
            if window.get("outcome") in UNFITTED:
                print(start + window["outcome"])
            continue
        within = abs(measured - declared) <= bound(declared)
        shown.setdefault((row["solver"], key), set()).update({scene} if within else ())
        good = window.get("as_declared", True)
        marked += not good
        print(f"{start}{measured:7.3f}  expected {declared} +- {bound(declared)}"
              + ("" if within else "  outside") + ("" if good else "  FAILED: too low"))
    return marked


def main(paths):
    failed, shown = 0, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        for row in table["solvers"]:
            failed += examine(path.removeprefix("orders-").removesuffix(".json"), row, shown)
            shown.setdefault((row["solver"], "order"), set())
    for (solver, key), scenes in shown.items():
        good = len(scenes) >= SCENES
        failed += not good
        print(f"  {solver:34} {QUANTITIES[key]:12} within its bound on {len(scenes)} scenes, at least {SCENES}"
              + ("" if good else "  FAILED"))
    return failed > 0


sys.exit(main(sys.argv[1:]))

"""live_tests.py - tests of `holonom view` beside those of view_tests.py: speed, pause, energy, session files
on their way, pages that do not read, and copies of runs. Needs HOLONOM. Prints a line per verdict."""
import json, os, sys, time
from view_client import View, get, status_of_verdicts, verdict


def processor_time(view):
    fields = open(f"/proc/{view.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pace():
    print("# speed and pause")
    v = View("pendulum", "--solvers", "lagrange", "--step", "0.01")
    page = v.page()
    page.read(0.3)
    before, start = v.steps(), time.monotonic()
    page.read(2)
    rate = 0.01 * (v.steps() - before) / (time.monotonic() - start)
    verdict(f"{rate:.3f} s of motion in a second, from 0 to 1.2", 0 < rate <= 1.2)  # fewer on a busy machine
    page.do(do="speed", factor=1e6)  # more than any machine reaches
    page.read(0.5)
    page.do(do="pause")
    page.read(0.3)
    before, busy = v.steps(), processor_time(v)
    page.read(1)
    busy = processor_time(v) - busy
    verdict(f"paused: {busy:.2f} s of processor time in a second, at most 0.05", busy <= 0.05)
    verdict(f"paused after {before} steps: it stays there", v.steps() == before > 100, v.steps())
    v.end()


def energy():
    """A pendulum that is released at rest, level with its pivot, has no energy."""
    print("# energy")
    solver = "lagrange:stepper=rk8pd,stabilisation=projection"
    v = View("pendulum", "--solvers", solver, "--step", "0.01", "--paused")
    page = v.page()
    for _ in range(50):
        page.do(do="once")
    page.read(0.3)
    head = page.head()
    verdict(f"energy after {head['time']:.2f} s: {head['energy']:.1e} J, bound 1e-12", head["steps"] == 50 and
            abs(head["energy"]) <= 1e-12, head)
    v.end()


def session_texts():
    print("# sessions on their way")
    v = View("chain8", "--fast")
    page = v.page()
    early = 0
    for _ in range(40):
        page.send(do="impulse", body="link3", at=[0, 0, 0], impulse=[0.01, 0, 0])
        for _ in range(5):  # some before the next frame, with which the end moves
            lines = [json.loads(line) for line in get(v.url, "session/1")[2].decode().splitlines()[1:]]
            end = lines[-1]
            early += end["do"] != "end" or any(line["at_step"] > end["at_step"] for line in lines)
        page.read(0.01)
    verdict(f"none of 200 has lines after its end, {len(lines)} lines in the last",
            early == 0 and len(lines) > 2, early)
    v.end()


def silent():
    print("# a page that does not read")
    v = View("pyramid", "--set", "rows=30", "--fast")
    slow, readers = v.page(), [v.page() for _ in range(4)]
    slow.send(do="want", boxes=True, forces=True, contacts=True)
    time.sleep(2)  # frames fill the buffers of the other connection
    for _ in range(80):  # 1600 messages to all, no faster than allowed
        for page in readers:
            for _ in range(5):
                page.send(do="speed", factor=0)
            page.read(0.015)
    for page in readers:
        page.read(0.1)
    verdict("other pages remain", not any(page.closed for page in readers), [page.reason for page in readers])
    slow.read(5)
    verdict(f"it is disconnected, with the reason: {slow.reason}", slow.closed == 1008 and
            "does not read" in slow.reason, slow.closed)
    v.end()


SCENE = """local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { name = "p", mass = 1, position = { 0, 0, 0 } }
sys:control(function(t, s) s:impulse { "p", impulse = { PUSH, 0, 0 } } end)
return sys
"""


def copies():
    """A copy repeats the calls of control. A scene that was edited meanwhile gives another motion."""
    print("# copies of runs with control")
    for push, expected in [("0.001", "done"), ("0.002", "refused")]:
        open("push.lua", "w").write(SCENE.replace("PUSH", "0.001"))
        v = View("./push.lua", "--paused")
        page = v.page()
        for _ in range(5):
            page.do(do="once")
        page.read(0.2)
        open("push.lua", "w").write(SCENE.replace("PUSH", push))
        answer = page.do(do="fork", spec="lagrange")
        verdict(f"an impulse of {push} N s in the file at the time of the copy: {expected}",
                answer["type"] == expected, answer)
        if expected == "refused":
            print(f"        {answer.get('text')}")
        v.end()


for test in [pace, energy, session_texts, silent, copies]:
    test()
sys.exit(status_of_verdicts())

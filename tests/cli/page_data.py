"""page_data.py PAGE RUN RECORD - compares the motion of run RUN (from 0) of the page PAGE with RECORD.csv and
RECORD.contacts.csv, and its curve of errors with the flight of the stone of motion.lua; a line per verdict. Called by
page_data.sh. The arrays are those that cli/page/page_frames.c documents."""
import base64
import csv
import json
import math
import re
import struct
import sys
import zlib

page, number, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
text = open(page, encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.S)[1])
run = data["runs"][number]
rows = list(csv.DictReader(open(name + ".csv", newline="", encoding="utf-8")))
G, FROM, WITH = (1.3, -8.7, 2.9), (2.7, 1.9, -3.1), (-1.7, 2.3, 0.9)  # of motion.lua


def verdict(what, good, detail=""):
    print("%s %s%s" % ("ok     " if good else "FAILED ", what, " (%s)" % detail if detail else ""))


class Pack:
    """The arrays of a motion one after the other, each by significance of its bytes."""

    def __init__(self, frames):
        coded = re.search(r'<script type="text/plain" id="%s">(.*?)</script>' % frames["id"], text, re.S)[1]
        self.bytes, self.at = zlib.decompress(base64.b64decode(coded, validate=True)), 0

    def array(self, letter, count):
        size = struct.calcsize("<" + letter)
        planes = [self.bytes[self.at + b * count:self.at + (b + 1) * count] for b in range(size)]
        self.at += size * count
        return struct.unpack("<%d%s" % (count, letter), bytes(x for number in zip(*planes) for x in number))

    def courses(self, channels, count, resolution):
        """Series whose differences from a straight line are stored, as multiples of RESOLUTION."""
        words, series = self.array("I", channels * count), []
        for channel in range(channels):
            last = slope = 0
            series.append([])
            for i, word in enumerate(words[channel * count:(channel + 1) * count]):
                left = word >> 1 ^ (0xFFFFFFFF if word & 1 else 0)
                now = last + slope + left & 0xFFFFFFFF
                slope, last = (now - last if i else 0), now
                series[-1].append(resolution * (now - (1 << 32) if now >> 31 else now))
        return series


def motion_of(frames):
    pack, count, bodies = Pack(frames), frames["frames"], frames["bodies"]
    motion = {"times": pack.array("d", count)}
    motion["x"] = pack.courses(3 * bodies, count, frames["resolution"])
    motion["q"] = pack.courses(4 * bodies, count, frames["turning"])
    motion["force"] = pack.array("f", 3 * count * frames["joints"])
    motion["ends"] = pack.array("I", count)
    motion["touch"] = pack.array("f", 6 * frames["contacts"])
    verdict("the arrays are all of the motion", pack.at == len(pack.bytes), "%d bytes" % pack.at)
    return motion


# ---- Frames against the record ----------------------------------------------------------------------------
frames = run["frames"]
motion = motion_of(frames)
stride, count = frames["stride"], frames["frames"]
kept = [row for row in rows if int(row["step"]) % stride == 0 or row is rows[-1]]
verdict("times of %d frames, one in %d" % (count, stride), list(motion["times"]) == [float(row["time"]) for row in kept])
names = [body["name"] for body in data["model"]["bodies"] if body["name"] not in ("ground", "floor")]  # those that move
largest = max(abs(float(row["%s.%s" % (b, k)])) for row in kept for b in names for k in "xyz")
verdict("the resolution is that of the largest coordinate", frames["resolution"] <= largest * 2.0 ** -26, "%g of %g m" % (frames["resolution"], largest))
for key, letters, bound in (("x", "x y z", 2.0 ** -26 * largest), ("q", "qw qx qy qz", 2.0 ** -24)):
    channels = ["%s.%s" % (body, letter) for body in names for letter in letters.split()]
    worst = max(abs(motion[key][c][i] - float(row[channel])) for c, channel in enumerate(channels) for i, row in enumerate(kept))
    verdict({"x": "positions", "q": "orientations"}[key], worst <= 0.501 * bound, "off by %.3g, at most %.3g" % (worst, 0.501 * bound))
joints = [joint["name"] for joint in data["model"]["joints"]][:frames["joints"]]
digits = 2.0 ** -12  # twelve bits
worst = seen = 0
for i, row in enumerate(kept[1:], 1):
    for j, joint in enumerate(joints):
        for k in range(3):
            want, is_ = float(row["%s.force_%s" % (joint, "xyz"[k])]), motion["force"][3 * (i * len(joints) + j) + k]
            worst = max(worst, abs(is_ - want) / (abs(want) + 1e-30))
            seen += 1
verdict("%d forces of joints" % seen, seen == (0 if run["solver"] == "impulse-contact" else 3 * len(kept[1:])) and worst <= 1.01 * digits, "off by %.3g, at most %.3g of each" % (worst, 1.01 * digits))
coarse = sum(struct.unpack("<I", struct.pack("<f", f))[0] & 0x7ff != 0 for f in motion["force"])
verdict("they have twelve bits", coarse == 0, "%d have more" % coarse)

touches = {}
for row in csv.DictReader(open(name + ".contacts.csv", newline="", encoding="utf-8")):
    place = [float(row[k]) for k in "xyz"]
    impulse = [float(row["normal_impulse"]) * float(row["normal_" + k]) + float(row["friction_" + k]) for k in "xyz"]
    touches.setdefault(row["step"], []).append((place, impulse))
worst_place = worst_impulse = pushed = 0
good = True
for i, row in enumerate(kept):
    first, end = (motion["ends"][i - 1] if i else 0), motion["ends"][i]
    want = touches.get(row["step"], [])
    good = good and end - first == len(want)
    for n, (place, impulse) in zip(range(first, end), want):
        here = motion["touch"][6 * n:6 * n + 6]
        size = max(map(abs, impulse)) + 1e-300
        pushed += size > 1e-6
        worst_place = max(worst_place, max(abs(a - b) for a, b in zip(here, place)))
        worst_impulse = max(worst_impulse, max(abs(a - b) for a, b in zip(here[3:], impulse)) / size)
verdict("%d contacts, each in its frame, %d with an impulse" % (frames["contacts"], pushed), good and pushed > 500)
verdict("their points", worst_place <= 1e-6, "off by %.3g m, at most 1e-6" % worst_place)
verdict("their impulses", worst_impulse <= 1.01 * digits, "off by %.3g, at most %.3g of the largest part" % (worst_impulse, 1.01 * digits))

# ---- The reference and the errors -------------------------------------------------------------------------
flight = lambda t: [x + v * t + 0.5 * g * t * t for x, v, g in zip(FROM, WITH, G)]
reference = data["reference"]
verdict("the reference knows the place of the stone alone", reference["known"] == "".join("q" if b == "stone" else "-" for b in names), reference["known"])
answer = motion_of(reference["frames"])
verdict("the reference is known from the start to the end", answer["times"][0] == 0 and answer["times"][-1] == float(rows[-1]["time"]))
stone = names.index("stone")
worst = max(abs(answer["x"][3 * stone + k][i] - flight(t)[k]) for i, t in enumerate(answer["times"]) for k in range(3))
verdict("the flight of the reference", worst <= 0.501 * reference["frames"]["resolution"], "off by %.3g m" % worst)
# At the times that both have: the errors of the stone in the record.
known = set(answer["times"])
errors = [(float(row["time"]), sum((float(row["stone." + k]) - x) ** 2 for k, x in zip("xyz", flight(float(row["time"])))) ** 0.5)
          for row in kept[1:] if float(row["time"]) in known]
groups = -(-len(errors) // 1024)
wanted = [(errors[i][0], max(e for _, e in errors[i:i + groups])) for i in range(0, len(errors), groups)]
curve = run["errors"]
verdict("times of the curve of errors: one of %d of %d" % (groups, len(errors)), groups > 1 and curve["stride"] == groups
        and curve["time"] == [t for t, _ in wanted])
worst = max((abs(a - e) for a, (_, e) in zip(curve["position"], wanted)), default=1)
largest = max(e for _, e in wanted)
exact = run["solver"] == "impulse-contact"
verdict("the largest error of each of %d points" % len(wanted), (largest < 1e-12 if exact else largest > 1e-5) and worst <= 1e-13, "%.3g m at most, off by %.3g m" % (largest, worst))

# ---- The model --------------------------------------------------------------------------------------------
dart = next(body for body in data["model"]["bodies"] if body["name"] == "dart")


def turned(q, x):
    """X rotated by the quaternion Q = w, x, y, z."""
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    twice = [2 * c for c in cross(q[1:], x)]
    return [a + q[0] * b + c for a, b, c in zip(x, twice, cross(q[1:], twice))]


given = [([0.31, -0.22, 0.13], [math.cos(0.35)] + [math.sin(0.35) * c for c in (0.6, -0.48, 0.64)]), ([-0.17, 0.29, 0.41], [1, 0, 0, 0])]
probe, worst, apart = [0.3, -0.7, 1.1], 0, 0
for shape, (place, turn) in zip(dart["shapes"], given):
    want = [a + b + c for a, b, c in zip([-4.3, 5.2, 1.1], place, turned(turn, probe))]
    inside = [a + b for a, b in zip(shape["position"], turned(shape["orientation"], probe))]
    here = [a + b for a, b in zip(dart["position"], turned(dart["orientation"], inside))]
    worst, apart = max(worst, math.dist(want, here)), max(apart, math.dist(shape["position"], [0, 0, 0]))
verdict("a point of each shape, %g m from the centre of mass" % apart, worst <= 1e-14 and apart > 0.1, "off by %.3g m" % worst)

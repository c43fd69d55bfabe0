"""check_record.py RECORD.h5 RECORD.csv EVENTS.csv [CONTACTS.csv] - checks that the HDF5 file equals the CSV files.
All columns are present, all numbers are equal to the bit, and there is nothing else. A record without events has no
such group."""
import csv
import sys
import h5py
import numpy

PARTS = {
    "position": ".x .y .z", "orientation": ".qw .qx .qy .qz", "velocity": ".vx .vy .vz", "angular_velocity": ".wx .wy .wz",
    "coordinates/value": "", "coordinates/rate": "_rate", "joints/force": ".force_x .force_y .force_z",
    "joints/torque": ".torque_x .torque_y .torque_z", "forces/value": ".value", "forces/rate": ".rate",
    "forces/force": ".force", "wrenches/force": ".force_x .force_y .force_z", "contacts/point": "x y z",
    "contacts/normal": "normal_x normal_y normal_z", "contacts/friction": "friction_x friction_y friction_z",
    "contacts/slip": "slip_x slip_y slip_z", "contacts/moment_a": "moment_a_x moment_a_y moment_a_z",
    "contacts/moment_b": "moment_b_x moment_b_y moment_b_z",
}
UNITS = {  # of fields; all others are numbers or names, without a unit
    "time": "s", "energy": "J", "position_error": "m or rad", "velocity_error": "m/s or rad/s", "residual": "m or rad",
    "penetration": "m", "contact_residual": "m/s", "balance": "N s", "us_per_step": "us", "position": "m", "velocity": "m/s",
    "angular_velocity": "rad/s", "point": "m", "gap": "m", "normal_impulse": "N s", "friction": "N s",
    "normal_velocity": "m/s", "slip": "m/s", "until": "s", "angular": "N m s", "moment_a": "N m s", "moment_b": "N m s", "events/impulse": "N s or N m s",
    "events/force": "N or N m", "joints/force": "N", "joints/torque": "N m", "coordinates/value": "m or rad",
    "coordinates/rate": "m/s or rad/s", "forces/value": "m or rad", "forces/rate": "m/s or rad/s",
    "forces/force": "N or N m", "wrenches/force": "N or N m",
}
WORDS = {"kind": "kinds", "joint": "joints"}  # of events: numbers in these


def columns(file, group):
    """Return the column names of CSV, and the values."""
    names = [n.decode() for n in file[group]["name"]] if "name" in file[group] else [""]
    for field, data in file[group].items():
        if field == "name" or group == "events" and field in WORDS.values():
            continue
        assert data.attrs["unit"].decode() == UNITS.get(group + "/" + field, UNITS.get(field, "1")), (group, field)
        assert data.dtype.kind in "fiu" and data.dtype.itemsize == 8, field
        parts = PARTS.get(group + "/" + field, PARTS.get(field, field)).split(" ")
        values = data[()].reshape(len(data), len(names), len(parts))
        for i, name in enumerate(names):
            for k, part in enumerate(parts):
                yield name + part, values[:, i, k]


def same(text, value, field, bodies, words):
    if field in words:
        return text == (words[field][value] if value >= 0 else "")
    if field in ("body_a", "body_b"):
        return text == (bodies[value - 1] if value > 0 else "ground")
    if isinstance(value, numpy.uint64):
        return text == "%016x" % value
    if isinstance(value, numpy.int64):
        return text == ("%d" % value if value >= 0 else "")
    return text == "" and not numpy.isfinite(value) or text != "" and float(text) == value


def compare(file, path, groups):
    rows = list(csv.reader(open(path, newline="", encoding="utf-8")))
    head, rows = rows[0], rows[1:]
    bodies = [n.decode() for n in file["bodies/name"]]
    events = file["events"] if groups == ["events"] else {}
    words = {f: [w.decode() for w in events.get(n, [])] for f, n in WORDS.items() if events}
    found = dict(pair for group in groups for pair in columns(file, group))
    assert len(set(head)) == len(head), "two columns of one name"
    assert set(head) == set(found), set(head) ^ set(found)
    for c, name in enumerate(head):
        values = found[name]
        assert len(values) == len(rows), (name, len(values), len(rows))
        for row, value in zip(rows, values):
            assert same(row[c], value, name, bodies, words), (name, row[c], value)
    print("  %s: %d columns, %d rows, the same to the bit" % (path, len(head), len(rows)))


file = h5py.File(sys.argv[1], "r")
assert file.attrs["format"] == b"holonom record" and file.attrs["format_version"] == 1
LISTS = ("contacts", "events")
compare(file, sys.argv[2], [g for g in file if isinstance(file[g], h5py.Group) and g not in LISTS])
if "events" in file:
    compare(file, sys.argv[3], ["events"])
else:
    assert len(open(sys.argv[3], encoding="utf-8").readlines()) == 1, "events that are not in the record"
if len(sys.argv) > 4:
    compare(file, sys.argv[4], ["contacts"])

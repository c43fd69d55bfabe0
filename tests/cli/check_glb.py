"""check_glb.py RECORD.glb RECORD.csv - checks the structure of a glTF file, and that its bodies move as
in the record. Positions and rotations have single precision there."""
import csv
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
magic, version, length = struct.unpack_from("<4sII", data)
assert magic == b"glTF" and version == 2 and length == len(data) and length % 4 == 0
size, kind = struct.unpack_from("<I4s", data, 12)
assert kind == b"JSON" and size % 4 == 0
gltf = json.loads(data[20:20 + size])
bytes_, kind = struct.unpack_from("<I4s", data, 20 + size)
binary = data[28 + size:]
assert kind == b"BIN\0" and len(binary) == bytes_ == gltf["buffers"][0]["byteLength"]


def numbers(index):
    """Return the values of an accessor as tuples."""
    accessor = gltf["accessors"][index]
    view = gltf["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    form = "<%d%s" % (width, {5126: "f", 5125: "I"}[accessor["componentType"]])
    stride = view.get("byteStride", 4 * width)
    assert accessor["byteOffset"] + (accessor["count"] - 1) * stride + 4 * width <= view["byteLength"]
    first = view["byteOffset"] + accessor["byteOffset"]
    return [struct.unpack_from(form, binary, first + i * stride) for i in range(accessor["count"])]


def outward(mesh):
    """Check that triangles are counterclockwise about their unit normals."""
    for part in mesh["primitives"]:
        x, n = numbers(part["attributes"]["POSITION"]), numbers(part["attributes"]["NORMAL"])
        corner = [i for (i,) in numbers(part["indices"])]
        assert len(corner) % 3 == 0 and max(corner) < len(x)
        for a, b, c in zip(corner[0::3], corner[1::3], corner[2::3]):
            u, v = [[x[k][i] - x[a][i] for i in range(3)] for k in (b, c)]
            cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
            area = sum(i * i for i in cross) ** 0.5
            size = max(sum(i * i for i in u), sum(i * i for i in v))
            for k in (a, b, c):
                assert abs(sum(i * i for i in n[k]) - 1) < 1e-5
                assert area < 1e-5 * size or sum(i * j for i, j in zip(cross, n[k])) > 0.5 * area
    return len(corner) // 3


rows = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
animation, worst = gltf["animations"][0], 0.0
for channel in animation["channels"]:
    sampler, name = animation["samplers"][channel["sampler"]], gltf["nodes"][channel["target"]["node"]]["name"]
    times = [t for (t,) in numbers(sampler["input"])]
    assert len(times) == len(rows) and all(a < b for a, b in zip(times, times[1:]))
    parts = {"translation": ["x", "y", "z"], "rotation": ["qx", "qy", "qz", "qw"]}[channel["target"]["path"]]
    for time, value, row in zip(times, numbers(sampler["output"]), rows):
        assert abs(time - float(row["time"])) <= 1e-7 * abs(time)
        for part, number in zip(parts, value):
            exact = float(row[name + "." + part])
            worst = max(worst, abs(number - exact) / max(1.0, abs(exact)))
triangles = sum(outward(mesh) for mesh in gltf.get("meshes", []))
print("  %d channels, %d frames, off by %.1e of 6e-08; %d triangles" % (len(animation["channels"]), len(rows), worst, triangles))
assert worst < 6e-8

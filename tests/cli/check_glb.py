"""check_glb.py RECORD.glb RECORD.csv MODEL.json - checks the structure of a glTF file, that its bodies move as
in the record, that they stand upright, and that shapes have the places and sizes of the model. Positions and
rotations have single precision there."""
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


def product(p, q):
    """Return the product of two quaternions, x, y, z, w."""
    (a, b, c, d), (x, y, z, w) = p, q
    return (d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z)


def turned(q, v):
    """Return the vector v rotated by the quaternion q."""
    return product(product(q, (*v, 0.0)), (-q[0], -q[1], -q[2], q[3]))[:3]


def upright(gltf, gravity):
    """Check that the root turns gravity to -y by the smallest rotation, and return its quaternion."""
    (index,) = gltf["scenes"][gltf["scene"]]["nodes"]
    root, size = gltf["nodes"][index], sum(g * g for g in gravity) ** 0.5
    q = root["rotation"]
    assert not {"translation", "scale", "matrix"} & set(root) and abs(sum(i * i for i in q) - 1) < 1e-12
    if size == 0.0:
        assert q == [0, 0, 0, 1]
        return q, 0.0
    down = turned(q, [g / size for g in gravity])
    off = max(abs(a - b) for a, b in zip(down, (0.0, -1.0, 0.0)))
    assert off < 1e-12 and abs(q[1]) < 1e-12, (q, down)
    assert abs(sum(a * g for a, g in zip(q, gravity))) < 1e-12 * size, "not the smallest rotation"
    return q, off


def sides(shape):
    """Return half the extents of a shape along its axes; None for planes and shapes with corners."""
    kind, r, h = shape["kind"], shape.get("radius"), shape.get("height")
    if kind == "box":
        return [side / 2 for side in shape["size"]]
    if kind == "ellipsoid":
        return shape["half_axes"]
    return {"sphere": lambda: (r, r, r), "cylinder": lambda: (r, h / 2, r),
            "capsule": lambda: (r, r + h / 2, r)}.get(kind, lambda: None)()


def placed(gltf, model):
    """Check place and size of the shapes of all bodies. Return their number."""
    nodes, count = {node.get("name"): node for node in gltf["nodes"]}, 0
    (root,) = gltf["scenes"][gltf["scene"]]["nodes"]
    for body in model["bodies"]:
        node = nodes.get(body["name"])
        if node is None:
            assert body["name"] == "ground"
            continue
        w, x, y, z = body["orientation"]
        assert gltf["nodes"].index(node) in gltf["nodes"][root]["children"]
        assert node["translation"] == body["position"] and node["rotation"] == [x, y, z, w]
        for shape, child in zip(body["shapes"], node.get("children", [])):
            part, (w, x, y, z), half = gltf["nodes"][child], shape["orientation"], sides(shape)
            assert part["translation"] == shape["position"] and part["rotation"] == [x, y, z, w]
            (primitive,) = gltf["meshes"][part["mesh"]]["primitives"]
            vertices = numbers(primitive["attributes"]["POSITION"])
            if shape["kind"] == "plane":
                assert all(abs(sum(n * i for n, i in zip(shape["normal"], v))) < 1e-6 for v in vertices)
            if shape["kind"] == "height_field":
                rows, (lx, lz) = shape["heights"], shape["size"]
                points = {(round((i / (len(row) - 1) - 0.5) * lx, 5), round(y, 5), round((j / (len(rows) - 1) - 0.5) * lz, 5))
                          for j, row in enumerate(rows) for i, y in enumerate(row)}
                assert {tuple(round(v, 5) for v in vertex) for vertex in vertices} == points
                assert len(vertices) == 6 * (len(rows) - 1) * (len(rows[0]) - 1) and len(rows) == 3
            if shape["kind"] == "convex":
                for k in range(3):
                    corner, vertex = [[v[k] for v in some] for some in (shape["points"], vertices)]
                    assert max(abs(max(corner) - max(vertex)), abs(min(corner) - min(vertex))) < 1e-6
            for k in range(3 if half else 0):
                assert abs(max(v[k] for v in vertices) - half[k]) < 1e-6 * half[k], (shape, k)
                assert abs(min(v[k] for v in vertices) + half[k]) < 1e-6 * half[k], (shape, k)
            count += 1
    return count


model = json.load(open(sys.argv[3], encoding="utf-8"))
root, off = upright(gltf, model["gravity"])
shapes = placed(gltf, model)
rows = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
animation, worst, height = gltf["animations"][0], 0.0, 0.0
gravity = sum(g * g for g in model["gravity"]) ** 0.5
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
        if len(parts) == 3 and gravity > 0.0:  # the height in glTF is the distance against gravity
            x = [float(row[name + "." + part]) for part in parts]
            above = -sum(g * i for g, i in zip(model["gravity"], x)) / gravity
            height = max(height, abs(turned(root, value)[1] - above) / max(1.0, *map(abs, x)))
triangles = sum(outward(mesh) for mesh in gltf.get("meshes", []))
print("  %d channels, %d frames, off by %.1e of 6e-08; %d triangles; heights off by %.1e of 2e-07, down by %.1e; %d shapes"
      % (len(animation["channels"]), len(rows), worst, triangles, height, off, shapes))
assert worst < 6e-8 and height < 2e-7

// modules_marks.mjs - arrows, cones, lines and marks of contacts.
import { along, arrowError, aside, instance, most, times, vector } from "./modules_corners.mjs";
import { dot, equal, near, plus, random, unit } from "./modules_support.mjs";

function testArrows({ arrows }) {
  const next = random(5),
    some = Array.from({ length: 20 }, (_, i) => [
      [next(), next(), next()],
      i === 0 ? [0, -1, 0] : times([next(), next(), next()], 2),
    ]);
  const drawn = new arrows.Arrows();
  drawn.begin(20);
  for (const [x, v] of some) drawn.add(vector(x), vector(v), 0.02);
  drawn.end();
  near(
    "arrows: start at the point, end at its sum with the vector",
    most(some.map(([x, v], i) => arrowError(drawn, i, x, v))),
    1e-6,
  );
  drawn.begin(1);
  drawn.add(vector([0, 0, 0]), vector([0, 0, 0]), 0.02);
  equal(
    "arrows: none for a zero vector",
    drawn.meshes.map(({ count }) => count),
    [0, 0],
  );

  const cones = new arrows.Cones();
  cones.begin(20);
  let worst = 0;
  some.forEach(([x, v], i) => {
    const way = unit(v);
    cones.add(vector(x), vector(way), 2, 0.3);
    const points = instance(cones.meshes[0], i);
    worst = Math.max(
      worst,
      ...points.map((p) => {
        const high = dot(plus(p, x, -1), way);
        return Math.abs(Math.hypot(...plus(plus(p, x, -1), way, -high)) - 0.15 * high);
      }),
    );
    worst = Math.max(worst, Math.abs(along(points, x, way) - 2));
  });
  near("arrows: cones stand on their apex, with height and radius", worst, 1e-6);

  const lines = new arrows.Lines();
  lines.begin(2);
  lines.add(vector([1, 2, 3]), vector([4, 5, 6]));
  lines.end();
  equal(
    "arrows: a line has two ends",
    [...lines.geometry.attributes.position.array.slice(0, 6)],
    [1, 2, 3, 4, 5, 6],
  );
  equal("arrows: only the lines that were added are drawn", lines.geometry.drawRange.count, 2);
}

function testContacts({ contact_marks: { ContactMarks } }) {
  const scale = 0.1,
    marks = new ContactMarks(scale, 0.01),
    normal = unit([1, 2, -2]),
    impulse = [-3, 1, 0.5],
    point = [0.3, -0.2, 5];
  const whole = { contacts: Float64Array.of(...point, ...normal, ...impulse, 0.5, 0, 0), width: 12 },
    small = { contacts: Float64Array.of(...point, ...impulse), width: 6 },
    all = new Set(["contacts", "contact normals", "friction cones", "impulses"]);
  const { contacts, normals, cones, impulses } = marks.parts;
  for (const [name, state] of Object.entries({ twelve: whole, six: small })) {
    marks.update(all, state, 0.2);
    near(
      `contacts: ${name} numbers: the impulse from the point`,
      arrowError(impulses, 0, point, times(impulse, 0.2)),
      1e-6,
    );
    const ball = instance(contacts.meshes[0], 0);
    near(
      `contacts: ${name} numbers: a ball at the point`,
      Math.abs(along(ball, point, [0, 1, 0]) - 0.4 * scale),
      1e-6,
    );
    equal(
      `contacts: ${name} numbers: normal and cone`,
      [normals, cones].map((part) => part.meshes[0].count),
      state === whole ? [1, 1] : [0, 0],
    );
    if (state === whole)
      near("contacts: the normal", arrowError(normals, 0, point, times(normal, 3 * scale)), 1e-6);
    if (state === whole)
      near(
        "contacts: the opening of the cone is the friction",
        Math.abs(aside(instance(cones.meshes[0], 0), point, normal) - 0.5 * 3 * scale),
        1e-6,
      );
  }
  marks.update(new Set(), whole, 0.2);
  equal(
    "contacts: marks that are off",
    Object.values(marks.parts).map((part) => part.meshes[0].count),
    [0, 0, 0, 0],
  );
}

export function testMarks(modules) {
  testArrows(modules);
  testContacts(modules);
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/kernel/json.js";
import {
  differences,
  matches,
  OPERATOR_NAMES,
  OPERATOR_OPERANDS,
  pathMatches,
  patternProblems,
} from "../../src/kernel/matching.js";

const key = fc.string({ maxLength: 4 }).filter((text) => !text.startsWith("$") && text !== "__proto__");
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false, 0, 1, -2.5, "", "a", "Hello"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<unknown>;

/** A pattern that matches a value: some fields of its objects are left out, at any depth. */
function thinned(value: unknown, keep: () => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => thinned(item, keep));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => keep())
      .map(([name, item]) => [name, thinned(item, keep)]),
  );
}

describe("a pattern", () => {
  it("matches any value that has all of its fields, at any depth", () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.boolean()), (value, coins) => {
        const pattern = thinned(value, () => coins.next().value as boolean);
        expect(differences(pattern, value)).toEqual([]);
      }),
    );
  });

  it("locates each difference by a path", () => {
    fc.assert(
      fc.property(json, json, (pattern, value) => {
        for (const { path, seen } of differences(pattern, value)) {
          let part: unknown = value;
          for (const segment of parsePath(path)) {
            const known = typeof part === "object" && part !== null && Object.hasOwn(part, segment);
            part = known ? (part as Record<string | number, unknown>)[segment] : undefined;
          }
          expect(seen).toEqual(part);
        }
      }),
    );
  });

  it.each([
    [{ a: 1 }, { b: 2 }, false],
    [{}, [], false],
    [{}, null, false],
    [{}, "text", false],
    [[1, 2], [1, 2, 3], false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    ["1", 1, false],
    [0, -0, true],
    [null, undefined, false],
    [{ a: null }, {}, false],
    [{ toString: "x" }, {}, false],
    [{ $regex: "^ab+$" }, "abb", true],
    [{ $regex: "b" }, "abc", true],
    [{ $regex: "^b" }, "abc", false],
    [{ $regex: "1" }, 1, false],
    [{ $regex: "1" }, ["1"], false],
    [{ $regex: "^\\p{Lu}" }, "Éa", true],
    [{ $regex: "^HEL", $flags: "i" }, "hello", true],
    [{ $regex: "^HEL" }, "hello", false],
    [{ $regex: "^b$", $flags: "m" }, "a\nb", true],
    [{ $flags: "i" }, "hello", false],
    [{ $regex: "(" }, "(", false],
    [{ $regex: 1 }, "1", false],
    [{ $regex: "a", $flags: "g" }, "a", false],
    [{ $contains: 1 }, "1", false],
    [{ $any: "number" }, "1", false],
    [{ $any: "boolean" }, 0, false],
    [{ $any: "array" }, {}, false],
    [{ $any: ["string"] }, "x", false],
    [{ $any: "text" }, "x", false],
    [{ $gt: "1" }, 2, false],
    [{ $lt: "5" }, 2, false],
    [{ $lt: 5 }, "2", false],
    [{ $oneOf: "ab" }, "a", false],
    [{ $contains: "a.b" }, "xa.by", true],
    [{ $contains: "a.b" }, "xaby", false],
    [{ $contains: "1" }, 1, false],
    [{ $any: "string" }, "", true],
    [{ $any: "string" }, 1, false],
    [{ $any: "number" }, 1.5, true],
    [{ $any: "integer" }, 1.5, false],
    [{ $any: "integer" }, 2, true],
    [{ $any: "boolean" }, false, true],
    [{ $any: "object" }, {}, true],
    [{ $any: "object" }, [], false],
    [{ $any: "object" }, null, false],
    [{ $any: "array" }, [], true],
    [{ $any: "null" }, null, true],
    [{ $any: "null" }, undefined, false],
    [{ $gt: 1 }, 2, true],
    [{ $gt: 1 }, 1, false],
    [{ $gt: 1 }, "2", false],
    [{ $lt: 1 }, 0, true],
    [{ $lt: 1 }, 1, false],
    [{ $gt: 1, $lt: 5 }, 3, true],
    [{ $gt: 1, $lt: 5 }, 6, false],
    [{ a: { $absent: true } }, {}, true],
    [{ a: { $absent: true } }, { a: null }, false],
    [{ a: { $absent: false } }, { a: null }, true],
    [{ a: { $absent: false } }, {}, false],
    [{ $oneOf: ["9001", 9001] }, 9001, true],
    [{ $oneOf: ["9001", 9001] }, "9002", false],
    [{ $oneOf: [{ a: 1 }, { b: { $gt: 1 } }] }, { b: 2 }, true],
    [{ a: { $not: true } }, {}, true],
    [{ a: { $not: true } }, { a: true }, false],
    [{ $not: { $regex: "^x" }, $any: "string" }, "yx", true],
    [{ $not: { $regex: "^x" }, $any: "string" }, "xy", false],
    [{ a: [{ $any: "string" }] }, { a: ["x"] }, true],
    [{ $unknown: 1 }, {}, false],
    [{ $gt: 1, constructor: 2 }, 3, false],
  ])("%j matches %j: %s", (pattern, value, fits) => {
    expect(matches(pattern, value)).toBe(fits);
  });

  it("lists every difference with its expected and actual value", () => {
    const pattern = { body: { text: "Hi", count: { $gt: 3 }, tags: ["a", "b"], "odd.key": 1 }, status: 200 };
    const value = { body: { text: "Ho", count: 3, tags: ["a", "c"] }, status: 200 };
    expect(differences(pattern, value)).toEqual([
      { path: "body.text", expected: "Hi", seen: "Ho" },
      { path: "body.count", expected: { $gt: 3 }, seen: 3 },
      { path: "body.tags[1]", expected: "b", seen: "c" },
      { path: 'body["odd.key"]', expected: 1, seen: undefined },
    ]);
  });
});

describe("problems of a pattern", () => {
  it.each([
    [
      { a: { $regexp: "x" } },
      "a.$regexp",
      'unknown operator "$regexp": known are $regex, $flags, $contains, $any, $gt, $lt, $absent, $oneOf, $not',
    ],
    [{ a: { $regex: "(" } }, "a.$regex", '"$regex" takes a regular expression'],
    [{ a: { $regex: "(?=b)" } }, "a.$regex", "without look-around and back-references"],
    [{ $any: "text" }, "$any", '"$any" takes one of string, number'],
    [{ $any: "toString" }, "$any", '"$any" takes one of'],
    [{ a: [{ $gt: "1" }] }, "a[0].$gt", '"$gt" takes a number'],
    [{ $regex: "a", $flags: [] }, "$flags", '"$flags" takes i, m and s'],
    [{ $regex: "a", $flags: "ig" }, "$flags", '"$flags" takes i, m and s'],
    [{ $regex: "a", $flags: "ii" }, "$flags", '"$flags" takes i, m and s'],
    [{ $oneOf: [1, { $gt: "1" }] }, "$oneOf", '"$oneOf" takes a list of patterns'],
    [{ $oneOf: [] }, "$oneOf", '"$oneOf" takes a list of patterns'],
    [{ $oneOf: [{ $regex: "(" }] }, "$oneOf", '"$oneOf" takes a list of patterns'],
    [{ a: { $gt: 1, b: 2 } }, "a.b", "cannot be combined with an operator"],
  ])("of %j are found at %s", (pattern, path, message) => {
    const problems = patternProblems(pattern);
    expect(problems).toEqual([{ path, message: expect.stringContaining(message) as string }]);
  });

  it("are none if all operands are valid", () => {
    fc.assert(fc.property(json, (pattern) => void expect(patternProblems(pattern)).toEqual([])));
    for (const condition of [
      { $regex: "^x", $flags: "" },
      { $regex: "^x", $flags: "smi" },
      { $contains: "x" },
      ...["string", "number", "integer", "boolean", "object", "array", "null"].map((type) => ({
        $any: type,
      })),
      { $gt: 1, $lt: 2.5 },
      { $absent: false },
      { $oneOf: [1, { $gt: 2 }, { a: null }] },
      { $not: { $regex: "x" } },
      { $not: "x" },
    ]) {
      expect(patternProblems({ a: [condition] })).toEqual([]);
    }
  });

  it("start with the given path", () => {
    expect(patternProblems({ body: { $gt: "x" } }, "match")).toMatchObject([{ path: "match.body.$gt" }]);
  });
});

it("describes the operand of each operator", () => {
  expect(Object.keys(OPERATOR_OPERANDS)).toEqual(OPERATOR_NAMES);
  for (const [name, words] of Object.entries(OPERATOR_OPERANDS))
    expect(patternProblems({ [name]: { $gt: "1" } })).toEqual([
      { path: name, message: `"${name}" takes ${words}` },
    ]);
});

describe("a path pattern", () => {
  it.each([
    ["/api/webhooks/", "/api/webhooks/", true],
    ["/api/webhooks", "/api/webhooks/", true],
    ["/api/webhooks/", "/api/webhooks", true],
    ["/api/webhooks/*", "/api/webhooks/crm", true],
    ["/api/webhooks/*", "/api/webhooks/", false],
    ["/api/webhooks/*", "/api/webhooks/crm/update", false],
    ["/api/*/update", "/api//update", false],
    ["/api/webhooks/:id/update", "/api/webhooks/crm/update", true],
    ["/api/webhooks/:id/update", "/api/webhooks/crm/delete", false],
    ["/api/:", "/api/x", false],
    ["/api/:", "/api/:", true],
    ["/api/**", "/api/webhooks/crm/update", true],
    ["/api/**", "/api", true],
    ["/api/**/x", "/api/a/b/x", false],
    ["/graphql", "/graphqls", false],
    ["*", "/graphql", false],
    ["/*", "/graphql", true],
    ["/", "/", true],
    ["/", "", false],
    ["", "/", false],
    ["/api/*/**", "/api", false],
    ["/api/*/**", "/api/a", true],
    ["/api/:id/*/**", "/api/:id/*/**", true],
    ["/a//b/", "/a//b", true],
  ])("%s matches %s: %s", (pattern, path, fits) => {
    expect(pathMatches(pattern, path)).toBe(fits);
  });
});

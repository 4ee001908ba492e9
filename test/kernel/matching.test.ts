import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePath, valueAt } from "../../src/kernel/json.js";
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
        for (const { path, seen } of differences(pattern, value))
          expect(seen).toEqual(valueAt(value, parsePath(path)));
      }),
    );
  });

  it.each<[pattern: unknown, matching: unknown[], others: unknown[]]>([
    [{ a: 1 }, [], [{ b: 2 }]],
    [{}, [], [[], null, "text"]],
    [
      [1, 2],
      [],
      [
        [1, 2, 3],
        [2, 1],
      ],
    ],
    [[], [], [{}]],
    ["1", [], [1]],
    [0, [-0], []],
    [null, [], [undefined]],
    [{ a: null }, [], [{}]],
    [{ toString: "x" }, [], [{}]],
    [{ $regex: "1" }, [], [1, ["1"]]],
    [{ $regex: "^hel.o$" }, ["hello"], ["Hello", "hello\nhello", "hel\no"]],
    [{ $regex: "^HEL", $flags: "i" }, ["hello"], []],
    [{ $flags: "i" }, [], ["hello"]],
    [{ $regex: "(" }, [], ["("]],
    [{ $regex: 1 }, [], ["1"]],
    [{ $regex: "a", $flags: "g" }, [], ["a"]],
    [{ $contains: "a.b" }, ["xa.by"], ["xaby"]],
    [{ $contains: "1" }, [], [1]],
    [{ $contains: 1 }, [], ["1"]],
    [{ $any: "string" }, [""], [1]],
    [{ $any: "number" }, [1.5], ["1"]],
    [{ $any: "integer" }, [2], [1.5]],
    [{ $any: "boolean" }, [false], [0]],
    [{ $any: "object" }, [{}], [[], null]],
    [{ $any: "array" }, [[]], [{}]],
    [{ $any: "null" }, [null], [undefined]],
    [{ $any: ["string"] }, [], ["x"]],
    [{ $any: "text" }, [], ["x"]],
    [{ $gt: 1 }, [2], [1, "2"]],
    [{ $gt: "1" }, [], [2]],
    [{ $lt: 5 }, [0], [5, "2"]],
    [{ $lt: "5" }, [], [2]],
    [{ $gt: 1, $lt: 5 }, [3], [6]],
    [{ $gt: 1, constructor: 2 }, [], [3]],
    [{ a: { $absent: true } }, [{}], [{ a: null }]],
    [{ a: { $absent: false } }, [{ a: null }], [{}]],
    [{ $oneOf: ["9001", 9001] }, [9001], ["9002"]],
    [{ $oneOf: [{ a: 1 }, { b: { $gt: 1 } }] }, [{ b: 2 }], []],
    [{ $oneOf: "ab" }, [], ["a"]],
    [{ a: { $not: true } }, [{}], [{ a: true }]],
    [{ $not: { $regex: "^x" }, $any: "string" }, ["yx"], ["xy"]],
    [{ a: [{ $any: "string" }] }, [{ a: ["x"] }], []],
    [{ $unknown: 1 }, [], [{}]],
  ])("%j matches each of %j, and none of %j", (pattern, matching, others) => {
    expect(matching.filter((value) => !matches(pattern, value))).toEqual([]);
    expect(others.filter((value) => matches(pattern, value))).toEqual([]);
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
  it.each<[pattern: object, path: string, message: string]>([
    [
      { a: { $regexp: "x" } },
      "a.$regexp",
      `unknown operator "$regexp": known are ${OPERATOR_NAMES.join(", ")}`,
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
    expect(patternProblems(pattern)).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect(patternProblems({ inner: pattern }, "match")).toMatchObject([{ path: `match.inner.${path}` }]);
  });

  it("are none if all operands are valid", () => {
    fc.assert(fc.property(json, (pattern) => void expect(patternProblems(pattern)).toEqual([])));
    const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
    for (const condition of [
      { $regex: "^x", $flags: "" },
      { $regex: "^x", $flags: "smi" },
      { $contains: "x" },
      ...types.map((type) => ({ $any: type })),
      { $gt: 1, $lt: 2.5 },
      { $absent: false },
      { $oneOf: [1, { $gt: 2 }, { a: null }] },
      { $not: { $regex: "x" } },
      { $not: "x" },
    ])
      expect(patternProblems({ a: [condition] })).toEqual([]);
  });

  it("name the operand that each operator takes", () => {
    expect(Object.keys(OPERATOR_OPERANDS)).toEqual(OPERATOR_NAMES);
    for (const [name, words] of Object.entries(OPERATOR_OPERANDS))
      expect(patternProblems({ [name]: { $gt: "1" } })).toEqual([
        { path: name, message: `"${name}" takes ${words}` },
      ]);
  });
});

it.each<[pattern: string, matching: string[], others: string[]]>([
  ["/api/webhooks/", ["/api/webhooks/", "/api/webhooks"], []],
  ["/api/webhooks", ["/api/webhooks/"], []],
  ["/api/webhooks/*", ["/api/webhooks/crm"], ["/api/webhooks/", "/api/webhooks/crm/update"]],
  ["/api/*/update", [], ["/api//update"]],
  ["/api/webhooks/:id/update", ["/api/webhooks/crm/update"], ["/api/webhooks/crm/delete"]],
  ["/api/:", ["/api/:"], ["/api/x"]],
  ["/api/**", ["/api/webhooks/crm/update", "/api"], []],
  ["/api/**/x", [], ["/api/a/b/x"]],
  ["/graphql", [], ["/graphqls"]],
  ["*", [], ["/graphql"]],
  ["/*", ["/graphql"], []],
  ["/", ["/"], [""]],
  ["", [], ["/"]],
  ["/api/*/**", ["/api/a"], ["/api"]],
  ["/api/:id/*/**", ["/api/:id/*/**"], []],
  ["/a//b/", ["/a//b"], []],
])("the path pattern %s matches each of %j, and none of %j", (pattern, matching, others) => {
  expect(matching.filter((path) => !pathMatches(pattern, path))).toEqual([]);
  expect(others.filter((path) => pathMatches(pattern, path))).toEqual([]);
});

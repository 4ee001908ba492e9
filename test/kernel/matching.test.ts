import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parsePath, valueAt } from "../../src/kernel/json.js";
import type { ClosedFields } from "../../src/kernel/matching.js";
import {
  closedProblems,
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
    [[1, 2], [], [[2, 1]]],
    [[1], [], [[1, 2]]],
    [[], [], [{}]],
    ["1", [], [1]],
    [0, [-0], []],
    [null, [], [undefined]],
    [{ a: null }, [], [{}]],
    [{ toString: "x" }, [], [{}]],
    [{ $regex: "1" }, [], [1, ["1"]]],
    [{ $regex: "^hel.o$" }, ["hello"], ["Hello", "hello\nhello", "hel\no"]],
    [{ $regex: "(?i)^HEL" }, ["hello"], []],
    [{ $regex: "(" }, [], ["("]],
    [{ $regex: 1 }, [], ["1"]],
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
  const KNOWN = OPERATOR_NAMES.join(", ");
  it.each<[pattern: object, path: string, message: string]>([
    [{ a: { $regexp: "x" } }, "a.$regexp", `unknown operator "$regexp": known are ${KNOWN}`],
    [{ a: { $regex: "(" } }, "a.$regex", '"$regex" takes a regular expression'],
    [{ a: { $regex: "(?=b)" } }, "a.$regex", "without look-around and back-references"],
    [{ $any: "text" }, "$any", '"$any" takes one of string, number'],
    [{ $any: "toString" }, "$any", '"$any" takes one of'],
    [{ a: [{ $gt: "1" }] }, "a[0].$gt", '"$gt" takes a number'],
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
      { $regex: "(?smi)^x" },
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

const list = (length: number): unknown[] => Array.from({ length }, (_, index) => index);
/** A value wrapped this many times. */
function nested(depth: number, wrap: (inner: unknown) => unknown, inner: unknown = 1): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe("the bounds of a pattern", () => {
  it.each([
    ["in a list", (count: number) => list(count - 1)],
    ["in an object", (count: number) => Object.fromEntries(list(count - 1).map((key) => [`k${key}`, null]))],
    ["in several lists", (count: number) => [list(500), { a: list(count - 504) }]],
  ])("has at most 1,000 values, itself included, %s", (_, make) => {
    expect(patternProblems(make(1_000))).toEqual([]);
    const message = "must not hold more than 1000 values";
    expect(patternProblems(make(1_001))).toEqual([{ path: "", message }]);
  });

  it.each([
    ["lists", (inner: unknown) => [inner]],
    ["objects", (inner: unknown) => ({ inner })],
    ["lists of which one goes on", (inner: unknown) => [null, inner, 1]],
  ])("is nested at most 50 levels deep, in %s", (_, wrap) => {
    expect(patternProblems(nested(50, wrap), "match")).toEqual([]);
    const message = "must not be nested deeper than 50 levels";
    expect(patternProblems(nested(51, wrap), "match")).toEqual([{ path: "match", message }]);
  });

  it("may nest operators, and is refused at once if it is far too deep", () => {
    const negated = (times: number) => nested(times, (inner) => ({ $not: inner }), "x");
    expect([matches(negated(99), "x"), matches(negated(100), "x")]).toEqual([false, true]);
    expect(patternProblems(nested(100_000, (inner) => [inner]))).toHaveLength(1);
  });
});

it("regular expressions and parts of texts are bounded together", () => {
  const of = (count: number) => ({ $oneOf: list(count).map((at) => ({ $regex: `a{400}${at}` })) });
  expect(patternProblems(of(2), "match")).toEqual([]);
  const message =
    'all "$regex" and "$contains" together have more than 1000 characters, with repetitions written out';
  expect(patternProblems(of(3), "match")).toEqual([{ path: "match.$oneOf[2].$regex", message }]);
  expect(patternProblems({ $contains: "a".repeat(1_000) })).toEqual([]);
  expect(patternProblems({ $contains: "a".repeat(1_001) })).toHaveLength(1);
  const parts = [{ $regex: "a{600}" }, { $contains: "a".repeat(500) }];
  expect(patternProblems(parts)).toEqual([{ path: "[1].$contains", message }]);
});

describe("differences", () => {
  it("are limited over all parts together", () => {
    const pattern = { a: [1, 2], b: { c: 3, d: [4, 5] }, e: 6 };
    const value = { a: [0, 0], b: { c: 0, d: [0, 0] }, e: 0 };
    const all = ["a[0]", "a[1]", "b.c", "b.d[0]", "b.d[1]", "e"];
    for (const most of [1, 2, 3, 4, 5, 6, 7])
      expect(differences(pattern, value, "", most).map(({ path }) => path)).toEqual(all.slice(0, most));
  });

  it("end at the first one if only a match is asked for", () => {
    const later = vi.fn(() => 1);
    const pattern = { a: 1, b: { $gt: 1 } };
    const value = Object.defineProperty({ a: 2 }, "b", { get: later, enumerable: true });
    expect(matches(pattern, value)).toBe(false);
    expect(later).not.toHaveBeenCalled();
  });
});

it.each<[unknown, unknown, path: string, expected: unknown, seen: unknown]>([
  [[{ $gt: 1, $lt: 0 }], [5], "body[0]", { $gt: 1, $lt: 0 }, 5],
  [{ a: [1] }, { a: [1, 2] }, "body.a", [1], [1, 2]],
  [{ a: { b: 1 } }, { a: 1 }, "body.a", { b: 1 }, 1],
])("%j makes one difference in %j, at %s", (pattern, value, path, expected, seen) => {
  expect(differences(pattern, value, "body")).toEqual([{ path, expected, seen }]);
});

describe("fields whose values come from a closed set", () => {
  const FIELDS: ClosedFields = {
    operation: { what: "operation", values: ["sendMessageToBusiness", "getWebhook", "getWebhooks", null] },
    kind: { what: "kind", values: ["a", "b"] },
    status: { what: "status", form: "200 alone", accepts: (value) => value === 200 },
  };
  const told = (match: unknown, isLater?: (value: string) => boolean) =>
    closedProblems(FIELDS, match, ["match"], isLater).map(({ path, message }) => `${path}: ${message}`);

  it.each([
    [{ operation: "getWebhook", kind: "a", status: 200 }],
    [{ operation: null }],
    [{ operation: undefined }],
    [{ other: "x", toString: "x", body: { operation: "none" } }],
    [{ operation: { $regex: "none" }, kind: { $any: "string" }, status: { $gt: 900 } }],
    [{ operation: { $oneOf: ["getWebhook", null] }, kind: { $not: "b" }, status: { $not: { $gt: 1 } } }],
    [{ operation: { $oneOf: "none" } }],
    [null],
    [["getWebhook"]],
  ])("a match that something can meet has no problem: %j", (match) => {
    expect(told(match)).toEqual([]);
  });

  const OPERATIONS = "sendMessageToBusiness, getWebhook, getWebhooks or null";

  it.each<[match: object, ...problems: string[]]>([
    [{ operation: "deleteAll" }, `operation: unknown operation "deleteAll": it must be ${OPERATIONS}`],
    [{ kind: 5 }, "kind: unknown kind 5: it must be a or b"],
    [{ kind: null }, "kind: unknown kind null: it must be a or b"],
    [{ kind: ["a"] }, "kind: unknown kind an array: it must be a or b"],
    [{ kind: { $not: "x" } }, 'kind.$not: unknown kind "x": did you mean "a"?'],
    [{ status: 201 }, "status: must be 200 alone, but is 201"],
    [{ status: "200" }, 'status: must be 200 alone, but is "200"'],
    [
      { status: { $oneOf: [200, 201, { $not: 202 }] } },
      "status.$oneOf[1]: must be 200 alone, but is 201",
      "status.$oneOf[2].$not: must be 200 alone, but is 202",
    ],
  ])("a match that nothing can meet has problems: %j", (match, ...problems) => {
    expect(told(match)).toEqual(problems.map((problem) => `match.${problem}`));
  });

  it("a value that is not known yet is not checked, wherever it is", () => {
    const isLater = (value: string) => value.startsWith("$");
    const match = { kind: "${kind}", status: "${status}", operation: { $not: "${x}", $oneOf: ["${y}"] } };
    expect(told(match, isLater)).toEqual([]);
    expect(told({ kind: "c" }, isLater)).toHaveLength(1);
    expect(told({ kind: 5, status: 200, operation: null }, isLater)).toHaveLength(1);
    expect(told({ kind: "${kind}" })).toHaveLength(1);
  });

  it.each([
    ["getWebhok", "getWebhook"],
    ["sendMessage", "sendMessageToBusiness"],
    ["sendMesage", "sendMessageToBusiness"],
    ["sendMessag", "sendMessageToBusiness"],
    ["getW", "getWebhook"],
    ["getWebhooksOfEverybody", undefined],
    ["toBusiness", undefined],
  ])("a word that is nearly a name or its beginning: %s: %s", (operation, meant) => {
    const [problem] = told({ operation });
    expect(/did you mean "(.*)"/.exec(problem ?? "")?.[1]).toBe(meant);
  });
});

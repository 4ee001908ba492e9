import { expect, test } from "vitest";
import { array, integer, nullable, object, optional, string, withDefault } from "../../src/kernel/schema.js";
import { applyDefaults, omitDefaults } from "../../src/service/world/load.js";

const schema = object({
  first: string(),
  'a "quoted" name': withDefault(string(), 'it\'s "so"\n'),
  perhaps: optional(integer()),
  list: withDefault(array(string()), []),
  inner: withDefault(nullable(object({ at: optional(integer()), of: withDefault(integer(), 1) })), null),
  last: integer(),
});

test("fields come in the schema's order, whichever are absent and however the original has them", () => {
  const complete = applyDefaults(schema);
  expect(JSON.stringify(complete({ last: 2, first: "a" }))).toBe(
    JSON.stringify({
      first: "a",
      'a "quoted" name': 'it\'s "so"\n',
      list: [],
      inner: null,
      last: 2,
    }),
  );
  expect(JSON.stringify(complete({ inner: {}, last: 0, list: ["x"], perhaps: 3, first: "" }))).toBe(
    JSON.stringify({
      first: "",
      'a "quoted" name': 'it\'s "so"\n',
      perhaps: 3,
      list: ["x"],
      inner: { of: 1 },
      last: 0,
    }),
  );
});

test("copies share nothing that can change, with the original or among themselves", () => {
  const complete = applyDefaults(schema);
  const original = { first: "a", last: 1, list: ["x"], inner: { at: 1 } };
  const copy = complete(original) as typeof original;
  original.list.push("y");
  original.inner.at = 2;
  expect(copy).toMatchObject({ list: ["x"], inner: { at: 1, of: 1 } });
  const [one, other] = [
    { first: "a", last: 1 },
    { first: "b", last: 2 },
  ].map(complete) as [{ list: string[] }, object];
  one.list.push("z");
  expect(other).toMatchObject({ list: [] });
});

test("fields that have their defaults are left out, and come back", () => {
  const complete = applyDefaults(schema);
  const omit = omitDefaults(schema);
  const plain = complete({ first: "a", last: 1 }) as object;
  expect(omit(plain)).toEqual({ first: "a", last: 1 });
  const full = complete({
    first: "a",
    'a "quoted" name': "b",
    perhaps: 0,
    list: ["x"],
    inner: { of: 1 },
    last: 1,
  }) as object;
  expect(omit(full)).toEqual(full);
  for (const record of [plain, full])
    expect(JSON.stringify(complete(omit(record)))).toBe(JSON.stringify(record));
});

import { describe, expect, it } from "vitest";
import { valueAt } from "../../src/kernel/json.js";
import { escaped, fillIn, fillParams, type Resolve } from "../../src/scenarios/placeholders.js";

const values: Record<string, unknown> = { thread: "9001", a: { body: { items: [{ id: 7 }] } } };
const resolve: Resolve = ({ name, path, isParam }) =>
  isParam ? `param ${name}` : valueAt(values[name], path);

describe("fillIn", () => {
  it.each([
    ["id ${a.body.items[0].id} of ${thread}", "id 7 of 9001"],
    ["all: ${a.body.items}", 'all: [{"id":7}]'],
    ["${param:answer}", "param answer"],
    ["$${thread} stays", "${thread} stays"],
    ["$5 and {thread}", "$5 and {thread}"],
    [{ list: ["${thread}", 1, null] }, { list: ["9001", 1, null] }],
  ])("makes of %j", (value, filled) => {
    expect(fillIn(value, resolve)).toEqual(filled);
  });

  it("leaves everything but parameters to a later pass, escapes too", () => {
    const first = fillIn("${param:x} ${thread} $${thread}", resolve, { onlyParams: true });
    expect(first).toBe("param x ${thread} $${thread}");
    expect(fillIn(first, resolve)).toBe("param x 9001 ${thread}");
  });

  it("does not read a parameter's value as a placeholder", () => {
    const { value } = fillParams({ params: { x: "" }, log: "${param:x}" }, { x: "${thread}" });
    expect(fillIn(value.log, resolve)).toBe("${thread}");
  });

  it.each(["$${thread}", "costs ${", "$ {a}", "${{a}}", "a $${b ${c} }"])(
    "gives back %j if escaped",
    (text) => {
      expect(fillIn(escaped(text), resolve)).toBe(text);
    },
  );
});

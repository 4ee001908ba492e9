import fc from "fast-check";
import { expect, it } from "vitest";
import { queryOf } from "../../src/kernel/http/target.js";

it("the parameters of a query are those of URLSearchParams, whatever their names", () => {
  const name = fc.constantFrom("a", "b_1", "__proto__", "constructor", "1", "a.b", "%61", "");
  const value = fc.constantFrom("=x", "=9001", "=a=b", "=1%202", "=a+b", "=", "");
  const query = fc.array(
    fc.tuple(name, value).map((parts) => parts.join("")),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        query.map((parts) => parts.join("&")),
        fc.string(),
      ),
      (text) => {
        const params = queryOf(text);
        expect(Object.entries(params)).toEqual(Object.entries(Object.fromEntries(new URLSearchParams(text))));
        expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
      },
    ),
  );
});

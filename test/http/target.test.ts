import fc from "fast-check";
import { expect, it } from "vitest";
import { queryOf } from "../../src/kernel/http/target.js";

it("the parameters of a query are those of URLSearchParams, whatever their names", () => {
  const part = fc.stringMatching(/^(__proto__|constructor|[a-c_.=%+-]|&){0,6}$/);
  fc.assert(
    fc.property(fc.oneof(part, fc.string()), (query) => {
      const params = queryOf(query);
      expect(Object.entries(params)).toEqual(Object.entries(Object.fromEntries(new URLSearchParams(query))));
      expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
    }),
  );
});

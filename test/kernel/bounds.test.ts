import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { LOAD_BOUNDS, loadLimits } from "../../src/kernel/http/admission.js";

const MEBIBYTE = 1024 * 1024;

describe("the table of bounds", () => {
  it("describes each bound: what it limits, the limit, and what happens beyond it", () => {
    for (const [name, { what, limit, beyond }] of Object.entries({ ...LOAD_BOUNDS, ...BOUNDS })) {
      expect([name, what]).toEqual([name, expect.stringMatching(/^[A-Z`]/)]);
      expect([name, beyond]).toEqual([name, expect.stringMatching(/./)]);
      expect([name, Number.isSafeInteger(limit) && limit > 0]).toEqual([name, true]);
    }
  });

  it("names the status of each refusal", () => {
    const statuses = [LOAD_BOUNDS.calls, LOAD_BOUNDS.deliveries, BOUNDS.sandboxes, BOUNDS.faults].map(
      ({ beyond }) => /\b[45]\d\d\b/.exec(beyond)?.[0],
    );
    expect(statuses).toEqual(["503", "503", "409", "409"]);
  });
});

describe("the bounds of a simulator's load", () => {
  it("default to those of the table", () => {
    const own = Object.fromEntries(Object.entries(LOAD_BOUNDS).map(([name, { limit }]) => [name, limit]));
    expect(loadLimits()).toEqual(own);
    expect(loadLimits({ calls: 7 })).toEqual({ ...own, calls: 7 });
    const given = Object.fromEntries(Object.keys(own).map((name, index) => [name, index + 1]));
    expect(loadLimits(given)).toEqual(given);
  });

  it("limit bodies to a share of the memory by default", () => {
    const share = 2 * MEBIBYTE;
    expect(loadLimits({}, 64 * MEBIBYTE)).toMatchObject({ bodyBytes: share, controlBodyBytes: share });
    expect(loadLimits({ bodyBytes: 5 }, 64 * MEBIBYTE)).toMatchObject({ bodyBytes: 5 });
  });
});

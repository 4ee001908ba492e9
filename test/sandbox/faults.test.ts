import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAjv, schemaProblems } from "../../src/kernel/schema-problems.js";
import type { Delivery } from "../../src/sandbox/deliveries.js";
import type { FaultInput } from "../../src/sandbox/faults.js";
import {
  FAULT_PRESET_NAMES,
  FAULT_PRESETS,
  Faults,
  faultSchema,
  problemsOf,
} from "../../src/sandbox/faults.js";
import type { JournalEntry } from "../../src/sandbox/journal.js";
import { complete, newJournal, receive } from "./entries.js";

function call(): JournalEntry {
  const journal = newJournal();
  const entry = receive(journal, { path: "/api/update-thread-status" });
  entry.operation = "updateThreadStatus";
  return complete(journal, entry, { customerThreadId: "9001", status: "replied" });
}

const delivery = (over: Partial<Delivery> = {}) =>
  ({
    eventType: "message",
    webhookId: "1",
    hookId: "crm",
    threadId: "9001",
    status: "pending",
    causedBy: "r1",
    body: { eventType: "message", data: { messageBody: "Hello" } },
    attempts: [] as const,
    ...over,
  }) as Delivery;

/** Faults of calls with these rules, counted from f1. */
function faultsOf(...rules: Partial<FaultInput>[]): Faults {
  const faults = new Faults(1, () => true);
  for (const rule of rules) faults.add({ on: "request", then: { status: 503 }, ...rule });
  return faults;
}

describe("a fault", () => {
  it("fires `times` times in total, whatever its probability", () => {
    const faults = faultsOf({ probability: 0.3, times: 5 });
    const picked = Array.from({ length: 2_000 }, () => faults.pick("request", call()));
    expect(picked.filter((fault) => fault !== undefined)).toHaveLength(5);
  });

  it("with a probability fires on the same deliveries, in any order and whatever else is drawn", () => {
    const cases = ["1", "2"].flatMap((webhookId) =>
      Array.from({ length: 50 }, (_, at) => delivery({ webhookId, causedBy: `r${at}` })),
    );
    const fired = (calls: number, subjects: readonly Delivery[]) => {
      const faults = faultsOf(
        { on: "delivery", probability: 0.5, then: { delayMs: { min: 0, max: 99 } } },
        { probability: 0.5 },
      );
      for (let at = 0; at < calls; at += 1) faults.pick("request", call());
      const found = new Map(subjects.map((subject) => [subject, faults.pick("delivery", subject)]));
      return cases.map((subject) => found.get(subject)?.delayMs ?? null);
    };
    const first = fired(0, cases);
    expect(first.filter((delay) => delay === null).length).toBeGreaterThan(30);
    expect(new Set(first).size).toBeGreaterThan(30);
    expect(fired(10, cases.toReversed())).toEqual(first);
  });

  it("has a fixed delay, or one drawn from its range", () => {
    const faults = faultsOf({ times: 1, then: { delayMs: 40 } }, { then: { delayMs: { min: 10, max: 12 } } });
    expect(faults.pick("request", call())).toEqual({ rule: "f1", delayMs: 40 });
    const delays = Array.from({ length: 100 }, () => faults.pick("request", call())?.delayMs);
    expect([...new Set(delays)].sort()).toEqual([10, 11, 12]);
  });

  it("does not change with the object that it was made from", () => {
    const input = { match: { method: "POST" }, then: { headers: { a: "1" } } };
    const faults = faultsOf(input);
    input.match.method = "GET";
    input.then.headers.a = "2";
    expect(faults.pick("request", call())).toMatchObject({ headers: { a: "1" } });
  });

  it.each([
    ["request", { method: "GET" }, false],
    ["request", { path: "/api/*" }, true],
    ["request", { operation: "updateThreadStatus", token: "acme-token" }, true],
    ["request", { body: { status: "replied" } }, true],
    ["request", {}, true],
    ["delivery", { webhookId: "1" }, true],
    ["delivery", { webhookId: "crm" }, true],
    ["delivery", { webhookId: "2" }, false],
    ["delivery", { hookId: "crm" }, true],
    ["delivery", { hookId: "1" }, false],
    ["delivery", { threadId: "9001", status: "pending" }, true],
    ["delivery", { causedBy: { $regex: "^r" } }, true],
    ["delivery", { body: { data: { messageBody: { $regex: "^Hell" } } } }, true],
  ] as const)("for a %s with %j hits: %s", (on, match, hits) => {
    const faults = faultsOf({ on, match, then: "unavailable" });
    const picked = on === "request" ? faults.pick(on, call()) : faults.pick(on, delivery());
    expect(picked !== undefined).toBe(hits);
    expect(faults.get("f1")).toMatchObject({ seen: hits ? 1 : 0, fired: hits ? 1 : 0 });
  });

  it("for deliveries ignores calls, and vice versa", () => {
    const faults = faultsOf({ on: "delivery" });
    expect(faults.pick("request", call())).toBeUndefined();
    expect(faults.get("f1")).toMatchObject({ seen: 0 });
    expect(faultsOf({}).pick("delivery", delivery())).toBeUndefined();
  });
});

describe("several faults", () => {
  it("fire as a simple count for each of them predicts", () => {
    const rule = fc.record({
      after: fc.nat(3),
      every: fc.integer({ min: 1, max: 4 }),
      times: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const faults = faultsOf(...rules);
        const fired = rules.map(() => 0);
        for (let seen = 1; seen <= 20; seen += 1) {
          const expected = rules.findIndex(
            ({ after, every, times }, index) =>
              seen > after && (seen - after - 1) % every === 0 && fired[index]! < times,
          );
          if (expected >= 0) fired[expected] = fired[expected]! + 1;
          expect(faults.pick("request", call())?.rule).toBe(expected < 0 ? undefined : `f${expected + 1}`);
        }
        expect(faults.list().map((listed) => [listed.seen, listed.fired])).toEqual(
          fired.map((times) => [20, times]),
        );
      }),
    );
  });
});

describe("presets", () => {
  it.each(FAULT_PRESET_NAMES.flatMap((name) => FAULT_PRESETS[name].fits.map((on) => [name, on] as const)))(
    "have %s for a %s",
    (name, on) => {
      const input: FaultInput = { on, then: name };
      expect(createAjv().validate(faultSchema, input)).toBe(true);
      expect(problemsOf(input)).toEqual([]);
      // What a preset stands for can be written out as well.
      const { then } = FAULT_PRESETS[name];
      expect(createAjv().validate(faultSchema, { on, then })).toBe(true);
      expect(problemsOf({ on, then })).toEqual([]);
      expect(new Faults(1, () => true).add(input)).toEqual({
        id: "f1",
        on,
        preset: name,
        then,
        seen: 0,
        fired: 0,
      });
    },
  );

  it("are those of the contract", () => {
    const names = "rate-limited unavailable slow hang-up token-expired bad-signature stale-signature";
    expect(FAULT_PRESET_NAMES).toEqual(names.split(" "));
  });

  it("take two to five seconds where they are slow", () => {
    expect(FAULT_PRESETS.slow.then).toEqual({ delayMs: { min: 2_000, max: 5_000 } });
  });

  it.each([
    ["token-expired", "delivery"],
    ["bad-signature", "request"],
    ["stale-signature", "request"],
  ] as const)("refuse %s on a %s", (then, on) => {
    expect(problemsOf({ on, then })).toMatchObject([
      { path: "then", message: expect.stringContaining(then) as string },
    ]);
  });
});

describe("an unusable fault", () => {
  /** Everything that is wrong with a rule, as paths and messages. */
  function problems(input: unknown): string[] {
    const validate = createAjv().compile(faultSchema);
    const found = validate(input) ? problemsOf(input as FaultInput) : schemaProblems(validate.errors, input);
    return found.map(({ path, message }) => `${path}: ${message}`);
  }

  const request = (then: unknown) => ({ on: "request", then });
  const delivered = (then: unknown) => ({ on: "delivery", then });
  const slow = (rule: object) => ({ on: "request", then: "slow", ...rule });

  it.each([
    [{ then: "slow" }, "on: is missing"],
    [request("slwo"), "then: "],
    [request({}), "then: must name an effect, such as status, delayMs or drop"],
    [request({ statsu: 500 }), 'then.statsu: unknown field "statsu": did you mean "status"?'],
    [request({ status: 99 }), "then.status: must be at least 200"],
    [request({ delayMs: -1 }), "then.delayMs"],
    [request({ delayMs: { min: 5, max: 2 } }), "then.delayMs.min: must not be greater than max, 2, but is 5"],
    [request({ delayMs: { min: 5 } }), "then.delayMs.max: is missing"],
    [request({ headers: { "a b": "x" } }), 'then.headers["a b"]'],
    [request({ headers: { a: "x\r\ny: z" } }), "then.headers.a"],
    [request({ drop: "during" }), "then.drop: must be one of before, after"],
    [request({ duplicate: 1 }), "then.duplicate: applies to a delivery, not to a request"],
    [request({ reorder: true }), "then.reorder: applies to a delivery, not to a request"],
    [delivered({ tokenExpired: true }), "then.tokenExpired: applies to a request, not to a delivery"],
    [delivered({ duplicate: 0 }), "then.duplicate: must be at least 1"],
    [slow({ probability: 1.5 }), "probability: must be at most 1"],
    [slow({ every: 0 }), "every: must be at least 1"],
    [slow({ times: 0 }), "times: must be at least 1"],
    [slow({ after: -1 }), "after: must be at least 0"],
    [slow({ match: { pth: "/api/*" } }), 'match.pth: unknown field "pth": did you mean "path"?'],
    [
      slow({ match: { eventType: "message" } }),
      'match.eventType: unknown request field "eventType": it must be ',
    ],
    [
      slow({ on: "delivery", match: { path: "/" } }),
      'match.path: unknown delivery field "path": it must be ',
    ],
    [slow({ match: { body: { $regx: "x" } } }), 'match.body.$regx: unknown operator "$regx"'],
    [slow({ match: "POST" }), "match: must be an object"],
    [slow({ id: "f1" }), 'id: unknown field "id"'],
  ])("such as %j is refused", (input, message) => {
    expect(problems(input)).toEqual([expect.stringContaining(message)]);
  });

  it("reports all problems at once", () => {
    const then = { delayMs: { min: 2, max: 1 }, reorder: true };
    expect(problems({ on: "request", match: { webhookId: { $gt: "1" } }, then })).toHaveLength(4);
  });
});

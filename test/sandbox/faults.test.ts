import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAjv, schemaProblems } from "../../src/kernel/schema-problems.js";
import type { FaultInput } from "../../src/sandbox/faults.js";
import {
  FAULT_PRESET_NAMES,
  FAULT_PRESETS,
  Faults,
  faultSchema,
  problemsOf,
} from "../../src/sandbox/faults.js";
import type { DeliverySubject, RequestSubject } from "../../src/sandbox/match.js";
import { MemoryBudget } from "../../src/sandbox/memory.js";
import { Refusal } from "../../src/service/domain/refusals.js";
import { until } from "../support/until.js";

const call = (over: Partial<RequestSubject> = {}): RequestSubject => ({
  method: "POST",
  path: "/api/update-thread-status",
  operation: "updateThreadStatus",
  token: "acme-token",
  status: null,
  body: { customerThreadId: "9001", status: "replied" },
  ...over,
});

const delivery = (over: Partial<DeliverySubject> = {}): DeliverySubject => ({
  eventType: "message",
  webhookId: "1",
  hookId: "crm",
  threadId: "9001",
  status: "pending",
  causedBy: "r1",
  body: { eventType: "message", data: { messageBody: "Hello" } },
  attempts: [],
  ...over,
});

/** Which of the first `calls` calls a single rule fires on, counted from 1. */
function firedOn(rule: Partial<FaultInput>, calls: number): number[] {
  const faults = new Faults(1);
  faults.add({ on: "request", then: { status: 503 }, ...rule });
  return Array.from({ length: calls }, (_, i) => i + 1).filter(
    () => faults.pick("request", call()) !== undefined,
  );
}

describe("a fault", () => {
  it("fires `times` times in total, whatever its probability", () => {
    expect(firedOn({ probability: 0.3, times: 5 }, 2_000)).toHaveLength(5);
  });

  it("with a probability fires on the same deliveries, in any order and whatever else is drawn", () => {
    const cases = ["1", "2"].flatMap((webhookId) =>
      Array.from({ length: 50 }, (_, at) => delivery({ webhookId, causedBy: `r${at}` })),
    );
    const fired = (calls: number, subjects: readonly DeliverySubject[]) => {
      const faults = new Faults(7);
      faults.add({ on: "delivery", probability: 0.5, then: { delayMs: { min: 0, max: 99 } } });
      faults.add({ on: "request", probability: 0.5, then: { status: 503 } });
      for (let at = 0; at < calls; at += 1) faults.pick("request", call());
      const found = new Map(subjects.map((subject) => [subject, faults.pick("delivery", subject)]));
      return cases.map((subject) => found.get(subject)?.delayMs ?? null);
    };
    const first = fired(0, cases);
    expect(first.filter((delay) => delay === null).length).toBeGreaterThan(30);
    expect(new Set(first).size).toBeGreaterThan(30);
    expect(fired(10, cases.toReversed())).toEqual(first);
  });

  it("fires for `forMs` after the first time, and never again", async () => {
    const faults = new Faults(1);
    faults.add({ on: "request", forMs: 60_000, then: { status: 429 } });
    faults.add({ on: "delivery", forMs: 1, then: { drop: "before" } });
    const fires = () => faults.pick("request", call()) !== undefined;
    expect([fires(), fires(), fires()]).toEqual([true, true, true]);
    expect(faults.pick("delivery", delivery())).toBeDefined();
    await until(() => faults.pick("delivery", delivery()) === undefined);
    expect(faults.pick("delivery", delivery())).toBeUndefined();
    faults.remove("f1");
    expect(fires()).toBe(false);
  });

  it("has a fixed delay, or one drawn from its range", () => {
    const faults = new Faults(1);
    faults.add({ on: "request", times: 1, then: { delayMs: 40 } });
    faults.add({ on: "request", then: { delayMs: { min: 10, max: 12 } } });
    expect(faults.pick("request", call())).toEqual({ rule: "f1", delayMs: 40 });
    const delays = Array.from({ length: 100 }, () => faults.pick("request", call())?.delayMs);
    expect([...new Set(delays)].sort()).toEqual([10, 11, 12]);
  });

  it("does not change with the object that it was made from", () => {
    const faults = new Faults(1);
    const input = { on: "request" as const, match: { method: "POST" }, then: { headers: { a: "1" } } };
    faults.add(input);
    input.match.method = "GET";
    input.then.headers.a = "2";
    expect(faults.pick("request", call())).toMatchObject({ headers: { a: "1" } });
  });

  it.each([
    [{ method: "POST" }, true],
    [{ method: "GET" }, false],
    [{ path: "/api/*" }, true],
    [{ path: { $regex: "status$" } }, true],
    [{ operation: "updateThreadStatus", token: "acme-token" }, true],
    [{ body: { status: "replied" } }, true],
    [{}, true],
  ])("for the calls %j hits a call: %s", (match, hits) => {
    const faults = new Faults(1);
    faults.add({ on: "request", match, then: "unavailable" });
    expect(faults.pick("request", call()) !== undefined).toBe(hits);
    expect(faults.get("f1")).toMatchObject({ seen: hits ? 1 : 0, fired: hits ? 1 : 0 });
  });

  it.each([
    [{ eventType: "message" }, true],
    [{ webhookId: "1" }, true],
    [{ webhookId: "crm" }, true],
    [{ webhookId: "2" }, false],
    [{ hookId: "crm" }, true],
    [{ hookId: "1" }, false],
    [{ threadId: "9001", status: "pending" }, true],
    [{ causedBy: { $regex: "^r" } }, true],
    [{ causedBy: { $regex: "^c" } }, false],
    [{ body: { data: { messageBody: { $regex: "^Hell" } } } }, true],
  ])("for the deliveries %j hits a delivery: %s", (match, hits) => {
    const faults = new Faults(1);
    faults.add({ on: "delivery", match, then: { drop: "before" } });
    expect(faults.pick("delivery", delivery()) !== undefined).toBe(hits);
  });

  it("for deliveries ignores calls, and vice versa", () => {
    const faults = new Faults(1);
    faults.add({ on: "delivery", then: "hang-up" });
    expect(faults.pick("request", call())).toBeUndefined();
    expect(faults.get("f1")).toMatchObject({ seen: 0 });
    faults.clear();
    faults.add({ on: "request", then: "hang-up" });
    expect(faults.pick("delivery", delivery())).toBeUndefined();
  });
});

describe("several faults", () => {
  it("are compared until comparing gets too expensive", () => {
    const faults = new Faults(1);
    const match = { body: { text: { $regex: "^(a?b?){990}$" } } };
    for (const rule of [{ times: 1 }, { match }, { match: { method: "POST" } }])
      faults.add({ on: "request", then: { status: 500 }, ...rule });
    const picked = () => faults.pick("request", call({ body: { text: `${"ab".repeat(1_200)}!` } }))?.rule;
    expect([picked(), picked()]).toEqual(["f1", undefined]);
  });

  it("count their compiled expressions towards the memory", () => {
    const memory = new MemoryBudget(1024 ** 2);
    const faults = new Faults(1, [], memory.lease());
    const add = () =>
      faults.add({ on: "request", match: { path: { $regex: "a{900}".repeat(3) } }, then: "slow" });
    expect(() => [add()]).toThrow(Refusal);
  });

  it("apply the first that fires; the others count the call as seen", () => {
    const faults = new Faults(1);
    faults.add({ on: "request", times: 1, then: { status: 500 } });
    faults.add({ on: "request", match: { method: "GET" }, then: { status: 501 } });
    faults.add({ on: "request", then: { status: 502 } });
    const rules = [1, 2, 3].map(() => faults.pick("request", call())?.rule);
    expect(rules).toEqual(["f1", "f3", "f3"]);
    expect(faults.list().map(({ id, seen, fired }) => [id, seen, fired])).toEqual([
      ["f1", 3, 1],
      ["f2", 0, 0],
      ["f3", 3, 2],
    ]);
  });

  it("fire as a simple count for each of them predicts", () => {
    const rule = fc.record({
      after: fc.nat(3),
      every: fc.integer({ min: 1, max: 4 }),
      times: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const faults = new Faults(1);
        for (const given of rules) faults.add({ on: "request", ...given, then: { status: 500 } });
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
      expect(new Faults(1).add(input)).toEqual({ id: "f1", on, preset: name, then, seen: 0, fired: 0 });
    },
  );

  it("are those of the contract", () => {
    expect(FAULT_PRESET_NAMES).toEqual([
      "rate-limited",
      "unavailable",
      "slow",
      "hang-up",
      "token-expired",
      "bad-signature",
      "stale-signature",
    ]);
  });

  it.each(["request", "delivery"] as const)("take two to five seconds where they are slow: %s", (on) => {
    const faults = new Faults(1);
    faults.add({ on, then: "slow" });
    const drawn = (at: number) =>
      on === "request" ? faults.pick(on, call()) : faults.pick(on, delivery({ causedBy: `r${at}` }));
    const delays = Array.from({ length: 100 }, (_, at) => drawn(at)?.delayMs ?? 0);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000);
    expect(new Set(delays).size).toBeGreaterThan(1);
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

  it.each([
    [{ then: "slow" }, "on: is missing"],
    [{ on: "request" }, "then: is missing"],
    [{ on: "answer", then: "slow" }, "on: must be one of request, delivery"],
    [{ on: "request", then: "slwo" }, "then: "],
    [{ on: "request", then: {} }, "then: must name an effect, such as status, delayMs or drop"],
    [{ on: "request", then: { statsu: 500 } }, 'then.statsu: unknown field "statsu": did you mean "status"?'],
    [{ on: "request", then: { status: 99 } }, "then.status: must be at least 200"],
    [{ on: "request", then: { delayMs: -1 } }, "then.delayMs"],
    [
      { on: "request", then: { delayMs: { min: 5, max: 2 } } },
      "then.delayMs.min: must not be greater than max, 2, but is 5",
    ],
    [{ on: "request", then: { delayMs: { min: 5 } } }, "then.delayMs.max: is missing"],
    [{ on: "request", then: { headers: { "a b": "x" } } }, 'then.headers["a b"]'],
    [{ on: "request", then: { headers: { a: "x\r\ny: z" } } }, "then.headers.a"],
    [{ on: "request", then: { drop: "during" } }, "then.drop: must be one of before, after"],
    [{ on: "request", then: { duplicate: 1 } }, "then.duplicate: applies to a delivery, not to a request"],
    [{ on: "request", then: { reorder: true } }, "then.reorder: applies to a delivery, not to a request"],
    [
      { on: "delivery", then: { tokenExpired: true } },
      "then.tokenExpired: applies to a request, not to a delivery",
    ],
    [{ on: "delivery", then: { duplicate: 0 } }, "then.duplicate: must be at least 1"],
    [{ on: "delivery", then: { duplicate: 101 } }, "then.duplicate: must be at most 100"],
    [{ on: "request", probability: 1.5, then: "slow" }, "probability: must be at most 1"],
    [{ on: "request", every: 0, then: "slow" }, "every: must be at least 1"],
    [{ on: "request", times: 0, then: "slow" }, "times: must be at least 1"],
    [{ on: "request", after: -1, then: "slow" }, "after: must be at least 0"],
    [
      { on: "request", match: { pth: "/api/*" }, then: "slow" },
      'match.pth: unknown field "pth": did you mean "path"?',
    ],
    [
      { on: "request", match: { eventType: "message" }, then: "slow" },
      'match.eventType: unknown request field "eventType": it must be ',
    ],
    [
      { on: "delivery", match: { path: "/x" }, then: "slow" },
      'match.path: unknown delivery field "path": it must be ',
    ],
    [
      { on: "request", match: { body: { $regx: "x" } }, then: "slow" },
      'match.body.$regx: unknown operator "$regx"',
    ],
    [{ on: "request", match: "POST", then: "slow" }, "match: must be an object"],
    [{ on: "request", id: "f1", then: "slow" }, 'id: unknown field "id"'],
  ])("such as %j is refused", (input, message) => {
    const found = problems(input);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it("reports all problems at once", () => {
    expect(
      problems({
        on: "request",
        match: { webhookId: { $gt: "1" } },
        then: { delayMs: { min: 2, max: 1 }, reorder: true },
      }),
    ).toHaveLength(4);
  });
});

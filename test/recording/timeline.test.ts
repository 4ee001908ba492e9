import { expect, it } from "vitest";
import type { Attempt, ControlRecord, DeliveryRecord } from "../../src/client/types.js";
import { timelineOf } from "../../src/scenarios/recording/session.js";

const NOON = 1_000_000;
const LATER = 9_000_000;

const control = (number: number, at: number, method: string, path: string) =>
  ({ id: `c${number}`, at, method, path, after: null }) as ControlRecord;
const attempt = (at: number, status: number) => ({ at, status }) as Attempt;
const delivery = (attempts: readonly Attempt[]) =>
  ({ id: "d1", causedBy: "c1", status: "delivered", attempts }) as unknown as DeliveryRecord;

const settledAfter = (controls: readonly ControlRecord[], attempts: readonly Attempt[]): number =>
  timelineOf({ requests: [], controls, deliveries: [delivery(attempts)] } as never).settled.findIndex(
    (list) => list.length > 0,
  );

const INBOUND = control(1, NOON, "POST", "/threads/9001/inbound");

it("places a retry that became overdue with the clock within the advance that lets it out", () => {
  const controls = [
    INBOUND,
    control(2, NOON, "PUT", "/clock"),
    control(3, LATER, "POST", "/threads/9002/inbound"),
    control(4, LATER, "POST", "/clock/advance"),
  ];
  expect(settledAfter(controls, [attempt(NOON, 500), attempt(LATER, 200)])).toBe(3);
});

it("places a retry that an advance reached within that advance, not within the next", () => {
  const controls = [
    INBOUND,
    control(2, NOON, "POST", "/clock/advance"),
    control(3, LATER, "POST", "/clock/advance"),
  ];
  expect(settledAfter(controls, [attempt(NOON, 500), attempt(LATER, 200)])).toBe(1);
});

it("leaves out copies that a fault sent: the rule sends them again", () => {
  const copy = { ...attempt(NOON, 401), fault: "f1", copy: true } as const;
  const { attempts } = timelineOf({
    requests: [],
    controls: [INBOUND],
    deliveries: [delivery([copy, attempt(NOON, 200)])],
  } as never);
  expect(attempts.map(({ attempt: { status } }) => status)).toEqual([200]);
});

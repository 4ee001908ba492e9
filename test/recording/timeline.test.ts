import { expect, it } from "vitest";
import type { Attempt, ControlRecord, DeliveryRecord } from "../../src/client/types.js";
import { timelineOf } from "../../src/scenarios/recording/session.js";

const NOON = 1_000_000;
const LATER = 9_000_000;

const control = (number: number, at: number, path: string) =>
  ({ id: `c${number}`, at, method: "POST", path, after: null }) as ControlRecord;
const attempt = (at: number, status: number) => ({ at, status }) as Attempt;
const delivery = (attempts: readonly Attempt[]) =>
  ({ id: "d1", causedBy: "c1", status: "delivered", attempts }) as unknown as DeliveryRecord;

const INBOUND = control(1, NOON, "/threads/9001/inbound");
const ADVANCE = "/clock/advance";

it.each([
  [
    "became overdue with the clock",
    3,
    [
      [NOON, "/clock"],
      [LATER, "/threads/9002/inbound"],
      [LATER, ADVANCE],
    ],
  ],
  [
    "an advance reached",
    1,
    [
      [NOON, ADVANCE],
      [LATER, ADVANCE],
    ],
  ],
] as const)("places a retry that %s within the advance that lets it out", (_, after, calls) => {
  const controls = calls.map(([at, path], index) => control(index + 2, at, path));
  const deliveries = [delivery([attempt(NOON, 500), attempt(LATER, 200)])];
  const { settled } = timelineOf({ requests: [], controls: [INBOUND, ...controls], deliveries } as never);
  expect(settled.findIndex((list) => list.length > 0)).toBe(after);
});

it("ignores copies that a fault sent after the delivery had arrived", () => {
  const copy = { ...attempt(LATER, 401), fault: "f1", copy: true } as const;
  const { settled } = timelineOf({
    requests: [],
    controls: [INBOUND, control(2, NOON + 1, "/threads/9002/inbound")],
    deliveries: [delivery([attempt(NOON, 200), copy])],
  } as never);
  expect(settled.findIndex((list) => list.length > 0)).toBe(0);
});

import { expect, it } from "vitest";
import { elapsedBetween } from "../../../dashboard/src/story/elapsed";
import { turnsOf } from "../../../dashboard/src/story/turns";
import { attempt, delivery, NOW, poll, request } from "../../support/entries.js";
import type { Told } from "./story";
import { ANSWER, answer, change, control, inbound, message, QUESTION, sourcesOf, wordsOf } from "./story";

const DAY_MS = 86_400_000;
const BY_PAGE = { by: "page" } as const;
const CONTROL = "through the control API";
const ASKED = inbound("c1", null, "1");
const SENT = delivery("d1", "c1", "1");
const REPLIED = { messages: [QUESTION, ANSWER], requests: [request("r1")], wrote: { 2: "r1" } };

const CASES: readonly (readonly [fact: string, told: Told, ...turns: string[]])[] = [
  ["nobody has written", { messages: [] }],
  [
    "a turn for each question that has an answer",
    { messages: [QUESTION, ANSWER, message("3", "Q2"), answer("4", "A2"), answer("5", "A3")] },
    "Q A",
    "Q2 A2 A3",
  ],
  [
    "a second question without an answer to the first is in its turn, and the answer counts from the first",
    { messages: [QUESTION, message("2", "Q2"), answer("3", "A", { timestamp: NOW + 6_000 })] },
    "Q Q2 A after 6000",
  ],
  [
    "a question of this run does not wait for one of before",
    { messages: [QUESTION, message("2", "Q2"), ANSWER], controls: [inbound("c1", null, "2")] },
    "Q",
    "Q2 A",
  ],
  [
    "what employees alone see is no answer",
    { messages: [QUESTION, answer("2", "note", { invisible: true }), answer("3", "A")] },
    "Q note A",
  ],
  [
    "a call stands before the message that it wrote, not before one that was written by hand",
    {
      ...REPLIED,
      messages: [ANSWER, answer("3", "By hand")],
      controls: [control("c1", "r1", "POST /threads/9001/employee-message", { response: { id: "3" } })],
    },
    "r1 A By hand",
  ],
  [
    "a call that took long stands before the message that it wrote, calls of meanwhile where they were",
    { ...REPLIED, controls: [inbound("c1", "r1", "1")], requests: [request("r1"), poll("r2")] },
    "Q r1 A r2",
  ],
  [
    "control calls stand between the calls that they were made between",
    {
      requests: [poll("r1"), poll("r2", { status: 503, fault: "f1" })],
      controls: [
        control("c1", "r1", "POST /clock/advance", { ...BY_PAGE, body: { by: "25h" } }),
        control("c2", "r1", "POST /faults", {
          response: { id: "f1", on: "request", then: { status: 503 }, times: 2, seen: 0, fired: 0 },
        }),
        control("c3", "r2", "DELETE /faults/f1", { by: "scenario" }),
      ],
    },
    `Q r1 (clock advanced by 25h; by hand) (fault f1 armed: answer 503 on the next 2 requests; ${CONTROL}) r2 (fault f1 disarmed; by a scenario)`,
  ],
  [
    "changes of the thread stand after what caused them, with their cause",
    {
      ...REPLIED,
      controls: [ASKED],
      deliveries: [SENT, delivery("d2", "r1", "2")],
      changes: [
        change("c1", "window opened"),
        change("r1", "status waiting → replied"),
        change(null, "window closed", { afterRequest: "r1" }),
      ],
    },
    "Q (window opened; by hand) d1 r1 A (status waiting → replied; by call r1) (window closed; time passed) d2",
  ],
  [
    "what falls due while a call moves the clock stands after that call, what time alone brings before the next one",
    {
      controls: [
        ASKED,
        control("c2", null, "POST /clock/advance", { ...BY_PAGE, body: { by: "25h" } }),
        control("c3", null, "PUT /clock", { ...BY_PAGE, at: NOW + 2 * DAY_MS, body: { frozen: true } }),
      ],
      changes: [
        change(null, "closed", { at: NOW + DAY_MS, afterControl: "c1" }),
        change(null, "again", { at: NOW + 2 * DAY_MS, afterControl: "c2" }),
      ],
    },
    "Q (clock advanced by 25h; by hand) (closed; time passed) (again; time passed) (clock frozen; by hand)",
  ],
  [
    "a change that is known is told once, one of before the page was opened by its call",
    {
      controls: [
        control("c1", null, "POST /threads/9001/window", { body: { open: false } }),
        control("c2", null, "POST /threads/9001/window", { body: { open: true } }),
        control("c3", null, "POST /threads/9002/window", { body: { open: true } }),
      ],
      changes: [change("c2", "window opened")],
    },
    `Q (window closed; ${CONTROL}) (window opened; ${CONTROL})`,
  ],
  [
    "a replay stands where it was made, a delivery whose cause is forgotten after its message",
    {
      ...REPLIED,
      controls: [control("c9", "r1", "POST /deliveries/d1/replay", BY_PAGE)],
      deliveries: [SENT, delivery("d2", "c9", "1")],
    },
    "Q d1 r1 A (delivery d1 replayed; by hand) d2",
  ],
  [
    "attempts, faults and statuses that differ do not fold",
    {
      requests: [poll("r1"), poll("r2", { status: 503 }), poll("r3", { fault: "f1" }), poll("r4")],
      deliveries: [SENT, delivery("d2", "c1", "1", { attempts: [500, 500, 200].map(attempt) })],
    },
    "Q d1 d2 r4×2 r2 r3",
  ],
  [
    "calls of other threads stay out, unless they were refused before they named one",
    {
      requests: [
        poll("r1", { query: { customerThreadId: "9002" } }),
        poll("r2", { query: {} }),
        poll("r3", { query: {}, status: 401 }),
        poll("r4", { query: {}, status: 401, by: "scenario" }),
      ],
    },
    "Q r3",
  ],
];

it.each(CASES.map(([fact, told, ...turns]) => ({ fact, told, turns })))("turns: $fact", ({ told, turns }) => {
  expect(wordsOf(told)).toEqual(turns);
});

it("a conversation tells no secrets of what was set", () => {
  const body = { url: "http://a:SECRET@h/?key=SECRET" };
  const controls = [
    control("c1", null, "PATCH /data/webhooks/1", { body }),
    control("c2", null, "PATCH /behaviour", { body: { "delivery.signature": { secret: "SECRET" } } }),
    control("c3", null, "POST /connect", { body }),
  ];
  const [told] = wordsOf({ controls });
  expect(told).toContain("webhook 1 changed: url");
  expect(told).toContain("webhooks connected to http://a:••••ET@h/?key=••••ET");
  expect(told).not.toContain("SECRET");
});

it("a turn keeps the first question without an answer", () => {
  const [turn] = turnsOf(sourcesOf({ messages: [QUESTION, message("2", "Q2")] }));
  expect(turn?.unanswered).toBe(QUESTION);
});

it.each([
  ["by a running clock, exactly", [1_000, 50], [2_400, 1_500], { ms: 1_400, isReal: true }],
  ["in real time, where the clock stood still", [1_000, 50], [1_000, 1_550], { ms: 1_500, isReal: true }],
  ["in real time, where the clock moved", [1_000, 50], [90_001_000, 1_550], { ms: 1_500, isReal: true }],
  ["by the clock, where nobody saw it", [1_000], [9_000], { ms: 8_000, isReal: false }],
  ["unknown on a frozen clock", [1_000], [1_000], undefined],
] as const)("the time between two events is told %s", (_, [from, heardFrom], [to, heardTo], expected) => {
  expect(elapsedBetween({ time: from, heard: heardFrom }, { time: to, heard: heardTo })).toEqual(expected);
});

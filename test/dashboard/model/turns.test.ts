import { describe, expect, it } from "vitest";
import { turnsOf } from "../../../dashboard/src/story/turns";
import type { Told } from "./story";
import {
  answer,
  attempt,
  change,
  control,
  delivery,
  inbound,
  message,
  NOW,
  poll,
  request,
  sourcesOf,
  wordsOf,
} from "./story";

const QUESTION = message("1", "Q");
const DAY_MS = 86_400_000;
const ANSWER = answer("2", "A");

const CASES: readonly (readonly [title: string, told: Told, turns: readonly string[]])[] = [
  ["nobody has written", { messages: [] }, []],
  [
    "question, webhook, polls, call, answer",
    {
      messages: [QUESTION, answer("2", "A", { timestamp: NOW + 1_400 })],
      controls: [inbound("c1", null, "1")],
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "r4", "2")],
      requests: [poll("r1"), poll("r2"), poll("r3"), request("r4")],
      wrote: { 2: "r4" },
      heard: { 1: 1_000, 2: 2_500 },
    },
    ["Q d1 r3×3 r4 A after 1400 d2"],
  ],
  [
    "a turn for each question that has an answer",
    { messages: [QUESTION, ANSWER, message("3", "Q2"), answer("4", "A2"), answer("5", "A3")] },
    ["Q A", "Q2 A2 A3"],
  ],
  [
    "a second question without an answer to the first is in its turn, and the answer counts from the first",
    {
      messages: [
        QUESTION,
        message("2", "Q2", { timestamp: NOW + 5_000 }),
        answer("3", "A", { timestamp: NOW + 6_000 }),
      ],
    },
    ["Q Q2 A after 6000"],
  ],
  [
    "a question of this run does not wait for one of before",
    { messages: [QUESTION, message("2", "Q2"), ANSWER], controls: [inbound("c1", null, "2")] },
    ["Q", "Q2 A"],
  ],
  [
    "what employees alone see is no answer",
    { messages: [QUESTION, answer("2", "note", { invisible: true }), answer("3", "A")] },
    ["Q note A"],
  ],
  [
    "a call stands before the message that it wrote, not before one that was written by hand",
    {
      messages: [answer("1", "A"), answer("2", "A")],
      requests: [request("r1")],
      wrote: { 1: "r1" },
      controls: [control("c1", "r1", "POST /threads/9001/employee-message", { response: { id: "2" } })],
    },
    ["r1 A A"],
  ],
  [
    "a call that took long stands before the message that it wrote, calls of meanwhile where they were",
    {
      messages: [message("1", "Q"), answer("2", "late")],
      controls: [inbound("c1", "r1", "1")],
      requests: [request("r1"), poll("r2")],
      wrote: { 2: "r1" },
    },
    ["Q r1 late r2"],
  ],
  [
    "control calls stand between the calls that they were made between",
    {
      messages: [QUESTION],
      requests: [poll("r1"), poll("r2", { status: 503, fault: "f1" })],
      controls: [
        control("c1", "r1", "POST /clock/advance", { by: "page", body: { by: "25h" } }),
        control("c2", "r1", "POST /faults", {
          response: { id: "f1", on: "request", then: { status: 503 }, times: 2, seen: 0, fired: 0 },
        }),
        control("c3", "r2", "DELETE /faults/f1", { by: "scenario" }),
      ],
    },
    [
      "Q r1 (clock advanced by 25h; by hand) (fault f1 armed: answer 503 on each request, at most 2 times; through the control API) r2 (fault f1 disarmed; by a scenario)",
    ],
  ],
  [
    "changes of the thread stand after what caused them, with their cause",
    {
      messages: [QUESTION, ANSWER],
      controls: [inbound("c1", null, "1")],
      requests: [request("r1")],
      wrote: { 2: "r1" },
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "r1", "2")],
      changes: [
        change("c1", "window opened"),
        change("r1", "status waiting → replied"),
        change(null, "window closed", { afterRequest: "r1" }),
      ],
    },
    [
      "Q (window opened; by hand) d1 r1 A (status waiting → replied; by call r1) (window closed; time passed) d2",
    ],
  ],
  [
    "what falls due while a call moves the clock stands after that call, what time alone brings before the next one",
    {
      messages: [QUESTION],
      controls: [
        inbound("c1", null, "1"),
        control("c2", null, "POST /clock/advance", { body: { by: "25h" }, by: "page" }),
        control("c3", null, "PUT /clock", { at: NOW + 2 * DAY_MS, body: { frozen: true }, by: "page" }),
      ],
      changes: [
        change(null, "window closed", { at: NOW + DAY_MS, afterControl: "c1" }),
        change(null, "window closed again", { at: NOW + 2 * DAY_MS, afterControl: "c2" }),
      ],
    },
    [
      "Q (clock advanced by 25h; by hand) (window closed; time passed) (window closed again; time passed) (clock frozen; by hand)",
    ],
  ],
  [
    "a change that is known is told once, one of before the page was opened by its call",
    {
      messages: [QUESTION],
      controls: [
        control("c1", null, "POST /threads/9001/window", { body: { open: false } }),
        control("c2", null, "POST /threads/9001/window", { body: { open: true } }),
        control("c3", null, "POST /threads/9002/window", { body: { open: true } }),
      ],
      changes: [change("c2", "window opened")],
    },
    ["Q (window closed; through the control API) (window opened; through the control API)"],
  ],
  [
    "a replay stands where it was made, a delivery whose cause is forgotten after its message",
    {
      messages: [QUESTION, ANSWER],
      controls: [control("c9", "r5", "POST /deliveries/d1/replay", { by: "page" })],
      requests: [request("r5")],
      wrote: { 2: "r5" },
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "c9", "1")],
    },
    ["Q d1 r5 A (delivery d1 replayed; by hand) d2"],
  ],
  [
    "attempts, faults and statuses that differ do not fold",
    {
      messages: [QUESTION],
      requests: [poll("r1"), poll("r2", { status: 503 }), poll("r3", { fault: "f1" }), poll("r4")],
      deliveries: [
        delivery("d1", "c1", "1"),
        delivery("d2", "c1", "1", { attempts: [attempt(500), attempt(500), attempt(200)] }),
      ],
    },
    ["Q d1 d2 r4×2 r2 r3"],
  ],
  [
    "calls of other threads stay out, unless they were refused before they named one",
    {
      messages: [QUESTION],
      requests: [
        poll("r1", { query: { customerThreadId: "9002" } }),
        poll("r2", { query: {} }),
        poll("r3", { query: {}, status: 401 }),
      ],
    },
    ["Q r3"],
  ],
];

describe("a conversation in turns", () => {
  it.each(CASES)("%s", (_, told, turns) => {
    expect(wordsOf(told)).toEqual(turns);
  });

  it("tells no secrets of what was set", () => {
    const told = wordsOf({
      messages: [QUESTION],
      controls: [
        control("c1", null, "PATCH /data/webhooks/1", { body: { url: "http://a:SECRET@h/?key=SECRET" } }),
        control("c2", null, "PATCH /behaviour", { body: { "delivery.signature": { secret: "SECRET" } } }),
        control("c3", null, "POST /connect", { body: { url: "http://a:SECRET@h/?key=SECRET" } }),
      ],
    });
    expect(told.join()).toContain("webhook 1 changed: url");
    expect(told.join()).toContain("webhooks connected to http://***@h/?key=***");
    expect(told.join()).not.toContain("SECRET");
  });

  it("keeps a question that is unanswered with all that came of it", () => {
    const [turn] = turnsOf(
      sourcesOf({
        messages: [QUESTION],
        controls: [inbound("c1", null, "1")],
        deliveries: [delivery("d1", "c1", "1")],
        requests: [poll("r1")],
      }),
    );
    expect(turn?.unanswered?.message).toBe(QUESTION);
    expect(turn?.unanswered?.events.map(({ entry }) => entry.id)).toEqual(["d1", "r1"]);
  });

  it("takes a moment for 3,000 messages with full logs", () => {
    const messages = Array.from({ length: 3_000 }, (_, at) =>
      at % 2 === 0 ? message(`${at}`, "Q") : answer(`${at}`, "A"),
    );
    const requests = Array.from({ length: 2_000 }, (_, at) => poll(`r${at + 1}`));
    const deliveries = Array.from({ length: 2_000 }, (_, at) =>
      delivery(`d${at + 1}`, `r${at + 1}`, `${at}`),
    );
    const sources = sourcesOf({ messages, requests, deliveries });
    turnsOf(sources);
    const before = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) turnsOf(sources);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 10_000).toBeLessThan(50);
    expect(turnsOf(sources)).toHaveLength(1_500);
  });
});

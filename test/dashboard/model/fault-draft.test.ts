import { expect, test } from "vitest";
import type { FaultDraft } from "../../../dashboard/src/inspector/fault-draft";
import { faultOf, wouldFire } from "../../../dashboard/src/inspector/fault-draft";
import type { RequestRecord } from "../../../dashboard/src/model/types";

const DRAFT: FaultDraft = {
  on: "request",
  kind: "sendMessageToCustomerThread",
  thread: "9001",
  nth: "2",
  times: "1",
  probability: "",
  delayMs: "50",
  status: "503",
  body: '{"error":"Try later"}',
};

test("a form becomes a rule: JSON bodies are parsed, other text stays text, empty fields are left out", () => {
  expect(faultOf(DRAFT)).toEqual({
    on: "request",
    match: {
      operation: "sendMessageToCustomerThread",
      body: { customerThreadId: { $oneOf: ["9001", 9001] } },
    },
    after: 1,
    times: 1,
    then: { delayMs: 50, status: 503, body: { error: "Try later" } },
  });
  const delivery = {
    ...DRAFT,
    on: "delivery",
    kind: "transfer",
    nth: "",
    times: "",
    delayMs: "",
    body: "no",
  };
  expect(faultOf(delivery as FaultDraft)).toEqual({
    on: "delivery",
    match: { eventType: "transfer", threadId: "9001" },
    then: { status: 503, body: "no" },
  });
  expect(() => faultOf({ ...DRAFT, delayMs: "", status: " ", body: "" })).toThrow("Enter a delay");
  expect(() => faultOf({ ...DRAFT, status: "soon" })).toThrow("Status must be a number, not “soon”.");
});

test("of the last calls those match that name operation and thread, and the nth of them fires", () => {
  const call = (id: string, operation: string, thread: unknown) =>
    ({ id, method: "POST", operation, body: { customerThreadId: thread } }) as RequestRecord;
  const send = "sendMessageToCustomerThread";
  const calls = [
    call("r1", send, "9001"),
    call("r2", send, "9002"),
    call("r3", send, 9001),
    call("r4", "updateThreadStatus", "9001"),
    call("r5", send, "9001"),
  ];
  expect(wouldFire(DRAFT, calls)).toEqual([
    { id: "r1", fires: false },
    { id: "r3", fires: true },
    { id: "r5", fires: false },
  ]);
});

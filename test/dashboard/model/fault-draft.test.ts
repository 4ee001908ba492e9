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
  for (const [wrong, message] of [
    [{ status: "soon" }, "Status must be a whole number, 200 to 599, not “soon”."],
    [{ nth: "0" }, "From call no. must be a whole number, 1 or more, not “0”."],
    [{ delayMs: "99999999999" }, "Delay must be a whole number, 0 to 2,147,483,647, not “99999999999”."],
    [{ probability: "2" }, "Probability must be a number from 0 to 1, not “2”."],
  ] as const)
    expect(() => faultOf({ ...DRAFT, ...wrong })).toThrow(message);
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

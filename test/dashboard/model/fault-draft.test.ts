import { expect, test } from "vitest";
import { type FaultDraft, faultOf } from "../../../dashboard/src/inspector/fault-draft";

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
    match: { operation: DRAFT.kind, body: { customerThreadId: { $oneOf: ["9001", 9001] } } },
    after: 1,
    times: 1,
    then: { delayMs: 50, status: 503, body: { error: "Try later" } },
  });
  const unlimited = { nth: "", times: "", delayMs: "" };
  expect(faultOf({ ...DRAFT, ...unlimited, on: "delivery", kind: "transfer", body: "no" })).toEqual({
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

/** What the answers to wrong calls say beyond the properties, which test/conformance looks at. */
import { expect, it } from "vitest";
import { DELETE_USER, SEND, STATUS, send } from "../../conformance/support.js";
import { problemsIn } from "../../support/problems.js";
import { openSandbox } from "../../support/simulator.js";

it.each<[call: string, body: object | undefined, ...problems: string[]]>([
  [SEND, { customerThreadId: "9001" }, '@ must have at least key "text" or "contentSid"'],
  [
    SEND,
    { customerThreadId: true, text: 5, internal: "yes" },
    "@.text must be string, but is number",
    "@.customerThreadId must be string, but is boolean",
    "@.internal must be boolean, but is string",
  ],
  [
    STATUS,
    { customerThreadId: "9001", status: 5 },
    "@.status must be string, but is number",
    '@.status must be equal to ["waiting" or "replied" or "resolved"], but is equal to "5"',
  ],
  [DELETE_USER, undefined, "@.email is missing and not optional"],
])("%s says all that is wrong with %j", async (call, sent, ...problems) => {
  const { api } = await openSandbox();
  const { status, body } = await api(call, sent);
  expect([status, problemsIn(body), body.headers]).toEqual([400, problems, []]);
});

it("accepts the integer thread id from events, and warns", async () => {
  const s = await openSandbox();
  const { status, headers } = await send(s, { customerThreadId: 9001, text: "Hi" });
  expect(status).toBe(200);
  const [warning] = (await s.control("GET /warnings")).body;
  expect(warning).toMatchObject({ code: "number-id", requestId: headers.get("x-sim-request") });
});

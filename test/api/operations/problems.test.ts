/** What the answers to wrong calls say beyond the properties, which test/conformance looks at. */
import { expect, it } from "vitest";
import { DELETE_USER, SEND, STATUS, TEMPLATE, UPDATE_PROFILE } from "../../conformance/support.js";
import { openSandbox } from "../../support/simulator.js";

const EMAIL = { property: "@.email", message: "is missing and not optional" };
const status = (value: string) =>
  `must be equal to ["waiting" or "replied" or "resolved"], but is equal to "${value}"`;

it.each<[call: string, body: object | undefined, problems: object[]]>([
  [
    SEND,
    { customerThreadId: "9001" },
    [{ property: "@", message: 'must have at least key "text" or "contentSid"' }],
  ],
  [
    SEND,
    { customerThreadId: "9001", text: "a", contentSid: TEMPLATE },
    [{ property: "@", message: 'must have only one of keys "text" or "contentSid"' }],
  ],
  [
    SEND,
    { customerThreadId: true, text: 5, internal: "yes" },
    [
      { property: "@.text", message: "must be string, but is number" },
      { property: "@.customerThreadId", message: "must be string, but is boolean" },
      { property: "@.internal", message: "must be boolean, but is string" },
    ],
  ],
  [
    STATUS,
    { customerThreadId: "9001", status: 5 },
    [
      { property: "@.status", message: "must be string, but is number" },
      { property: "@.status", message: status("5") },
    ],
  ],
  [STATUS, { customerThreadId: "9001", status: "" }, [{ property: "@.status", message: status("") }]],
  [
    UPDATE_PROFILE,
    { firstName: 1, lastName: null, company: "New" },
    [
      { property: "@.firstName", message: "must be string, but is number" },
      { property: "@.lastName", message: "must be string, but is null" },
    ],
  ],
  [DELETE_USER, {}, [EMAIL]],
  [DELETE_USER, undefined, [EMAIL]],
])("%s says all that is wrong with %j, and changes nothing", async (call, sent, problems) => {
  const { api, control } = await openSandbox();
  const before = (await control("GET /state")).body;
  const { status, body } = await api(call, sent);
  expect([status, body]).toEqual([400, { body: problems, headers: [] }]);
  expect((await control("GET /state")).body).toEqual(before);
});

it("accepts the integer thread id from events, and warns", async () => {
  const { api, control } = await openSandbox();
  const answer = await api(SEND, { customerThreadId: 9001, text: "Hi" });
  expect(answer.status).toBe(200);
  const [warning] = (await control("GET /warnings")).body;
  expect(warning).toMatchObject({ code: "number-id", requestId: answer.headers.get("x-sim-request") });
});

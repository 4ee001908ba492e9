/** Steps that must fail, with what they say: played through the control API, against a bot on a socket of its own. */
import { expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";
import { receiver } from "./support.js";

/** Plays steps in a sandbox whose bot answers each message of a customer with `Hello there`; returns the steps' reports. */
async function played(...steps: object[]) {
  const s = await openSandbox();
  const url = await receiver(async ({ data: { fromCustomer } }) => {
    const message = { customerThreadId: "9001", text: "Hello there" };
    if (fromCustomer) await s.api("POST /api/send-message-to-customer-thread", message);
  });
  await s.control("PATCH /data/webhooks/1", { url });
  const scenario = { thread: "9001", token: "acme-token", within: "10s", steps };
  const { body } = await s.control("POST /scenarios/run", { scenario });
  return body.steps as { ok: boolean; message?: string }[];
}

const HOOKS = { request: "GET /api/webhooks", name: "list" };

it("a capture fails its step where the answer does not have the part, even if the answer is as expected", async () => {
  const capture = { hook: "body[0].hookId", none: "body[1].hookId" };
  const message = "capture none: there is no body[1].hookId in the answer";
  expect(await played({ ...HOOKS, expect: 200, capture })).toMatchObject([{ ok: false, message }]);
  const { none: _, ...found } = capture;
  expect(await played({ ...HOOKS, expect: 200, capture: found })).toMatchObject([{ ok: true }]);
});

it.each([
  [["Hello", "Bye"], 'the reply should not contain "Hello"'],
  [["Bye", "there"], 'the reply should not contain "there"'],
  [["Bye", "So long", "lo th"], 'the reply should not contain "lo th"'],
  ["there", 'the reply should not contain "there"'],
])("a reply fails for each part that it must not have: %j", async (not, message) => {
  expect((await played({ customer: "Hi" }, { reply: { not } }))[1]).toMatchObject({ ok: false, message });
});

it("a reply passes that has none of the parts that it must not have", async () => {
  expect((await played({ customer: "Hi" }, { reply: { not: ["Bye", "So long"] } }))[1]?.ok).toBe(true);
});

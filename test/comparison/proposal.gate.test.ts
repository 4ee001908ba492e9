// Slow: each search plays its scenario again for every behaviour value it tries.
/** `compare` against a second simulator with other behaviour values, which it must find. */
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { compareWith } from "./support.js";

const details = (thread: string) => ({
  request: `GET /api/get-customer-thread-details?customerThreadId=${thread}`,
});
const send = (body: object, thread: unknown = "9001") => ({
  request: "POST /api/send-message-to-customer-thread",
  body: { customerThreadId: thread, ...body },
});
const status = (to: string) => ({
  request: "POST /api/update-thread-status",
  body: { customerThreadId: "9001", status: to },
});
const hook = (url: string) => ({
  request: "POST /api/webhooks/",
  body: { url, subscribedEvents: ["messages"] },
});
const MUTATION = {
  request: "POST /graphql",
  body: { query: "save-hook-mutation", variables: { hookId: "new" } },
};
const START = {
  request: "POST /api/widget/send-message-to-business",
  body: { businessId: "1001", message: "Hello", user: { email: "new@x.example" } },
  id: "opened",
};
const templateId = (number: number) => `HX${number}${"0".repeat(31)}`;
const CLOSED_THREAD = "9002";

/** Values of the other side that must be proposed exactly, and steps that reveal them. */
const FOUND: readonly [values: Record<string, unknown>, steps: readonly object[]][] = [
  [
    { "threads.notFound": { status: 422, body: { code: 7, hints: ["look"] } } },
    [details("77"), details("9001")],
  ],
  [{ "auth.missing": { status: 403, body: { message: "who?" } } }, [{ ...details("9001"), token: null }]],
  [{ "sendMessage.response": { status: 200, body: { ok: true } } }, [send({ text: "a" })]],
  [
    { "templates.unknown": { status: 404, body: { error: "No template ${request.contentSid}" } } },
    [send({ contentSid: templateId(1) }), send({ contentSid: templateId(2) })],
  ],
  [{ "webhooks.notFound": { status: 410, body: null } }, [{ request: "GET /api/webhooks/none" }]],
  [{ "ids.acceptNumbers": "reject" }, [send({ text: "a" }, 9001)]],
  [{ "ids.acceptNumbers": "reject" }, [send({ text: "a" }, 77)]],
  [{ "body.unknownFields": "reject" }, [send({ text: "a", colour: "red" })]],
  [{ "headers.contentTypeOnGet": "require" }, [{ ...details("9001"), headers: { "content-type": null } }]],
  [{ "webhooks.response": "wrapped" }, [hook("https://bot.example/a"), { request: "GET /api/webhooks/" }]],
  [{ "graphql.errors": "plain" }, [MUTATION]],
  [{ "graphql.errorStatus": "ok" }, [MUTATION]],
  [{ "widget.threadStatus": "replied" }, [START, details("${opened.body.customerThreadId}")]],
  [{ "window.channels": [] }, [details(CLOSED_THREAD), send({ text: "a" }, CLOSED_THREAD)]],
  [{ "surveys.createdAtUnit": "s" }, [{ request: "GET /api/customers/cust_001/profile" }]],
  [{ "webhooks.insecureUrls": "reject" }, [hook("http://127.0.0.1:9/a")]],
  [{ "threadStatus.autoMoves": "realistic" }, [status("waiting"), send({ text: "a" }), details("9001")]],
  [
    {
      "body.unknownFields": "reject",
      "webhooks.response": "wrapped",
      "threads.notFound": { status: 400, body: { error: "bad id" } },
    },
    [
      details("77"),
      send({ text: "a", colour: "red" }),
      { request: "GET /api/webhooks/" },
      status("resolved"),
    ],
  ],
];

/** A proposal that explains every difference. */
const whole = (values: object) => ({ values, complete: true, remaining: 0, uncertain: false });

it.each(FOUND)("compare proposes the values of another simulator %j", async (values, steps) => {
  const other = await startSimulator({ behaviour: values });
  const comparison = await compareWith({ steps }, other);
  expect(comparison.ok).toBe(false);
  expect(comparison.scenarios[0]?.differences.length).toBeGreaterThan(0);
  expect(comparison.proposal).toEqual(whole(values));
});

it("compare proposes the values of another simulator for status transitions, with their refusal", async () => {
  const transitions = { waiting: ["replied"], replied: ["resolved", "waiting"], resolved: ["waiting"] };
  const values = {
    "threadStatus.transitions": transitions,
    "threadStatus.transitionError": { status: 409, body: { message: "not now" } },
  };
  const other = await startSimulator({ behaviour: values as never });
  const moves = ["waiting", "resolved", "replied", "resolved", "replied", "waiting", "replied", "waiting"];
  const comparison = await compareWith({ steps: moves.map(status) }, other);
  const replied = expect.arrayContaining(transitions.replied);
  const found = { ...values, "threadStatus.transitions": { ...transitions, replied } };
  expect(comparison.proposal).toEqual(whole(found));
});

it("compare proposes the values of another simulator as far as values explain the differences", async () => {
  const values = { "threads.notFound": { status: 422, body: {} } };
  const other = await startSimulator({ behaviour: { ...values, "limits.textLength": 3 } });
  const comparison = await compareWith({ steps: [details("77"), send({ text: "long" })] }, other);
  expect(comparison.proposal).toEqual({ ...whole(values), complete: false, remaining: 1 });
  const none = await compareWith({ steps: [send({ text: "long" })] }, other);
  expect(none).toMatchObject({ ok: false, proposal: null });
});

it("compare proposes the values of another simulator with a warning if a step that only the simulator took may be the reason", async () => {
  const other = await startSimulator();
  const steps = [{ window: { thread: "9001", open: false } }, send({ text: "a" })];
  const comparison = await compareWith({ steps }, other);
  expect(comparison.proposal).toMatchObject({ values: { "window.channels": [] }, uncertain: true });
});

it("compare proposes the values of another simulator even for an entry that the scenario sets", async () => {
  const other = await startSimulator();
  const steps = [send({ text: "a", colour: "red" })];
  const comparison = await compareWith({ behaviour: { "body.unknownFields": "reject" }, steps }, other);
  expect(comparison.proposal).toEqual(whole({ "body.unknownFields": "ignore" }));
});

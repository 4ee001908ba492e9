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
    { "templates.unknown": { status: 404, body: { error: "No such template" } } },
    [send({ contentSid: templateId(1) }), send({ contentSid: templateId(2) })],
  ],
  [{ "webhooks.notFound": { status: 410, body: null } }, [{ request: "GET /api/webhooks/none" }]],
  [{ "ids.acceptNumbers": "reject" }, [send({ text: "a" }, 9001)]],
  [{ "body.unknownFields": "reject" }, [send({ text: "a", colour: "red" })]],
  [{ "headers.contentTypeOnGet": "require" }, [{ ...details("9001"), headers: { "content-type": null } }]],
  [{ "webhooks.response": "wrapped" }, [hook("https://bot.example/a"), { request: "GET /api/webhooks/" }]],
  [{ "graphql.errors": "plain" }, [MUTATION]],
  [{ "graphql.errorStatus": "ok" }, [MUTATION]],
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

/** What a comparison names as the explanation of its differences, by key. */
async function explained(source: object, behaviour: object) {
  const { url } = await startSimulator({ behaviour });
  const { code, report } = await compareWith({ token: "acme-token", thread: "9001", ...source }, url);
  const differences = report.scenarios.flatMap((one) => one.differences);
  const entries = differences.flatMap((one) => one.entries);
  const values = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  return { code, report, differences, values };
}

it.each(FOUND)("compare finds the values of another simulator %j", async (values, steps) => {
  const found = await explained({ steps }, values);
  expect(found.code).toBe(1);
  expect(found.differences.every(({ section }) => section === null)).toBe(true);
  expect(found.report.contradictions).toEqual([]);
  expect(found.values).toEqual(values);
});

it("compare finds the values of another simulator for status transitions, with their refusal", async () => {
  const transitions = {
    waiting: ["replied"],
    replied: ["waiting", "resolved"],
    resolved: ["waiting"],
  };
  const values = {
    "threadStatus.transitions": transitions,
    "threadStatus.transitionError": { status: 409, body: { message: "not now" } },
  };
  const moves = ["waiting", "resolved", "replied", "resolved", "replied", "waiting", "replied", "waiting"];
  const { values: found } = await explained({ steps: moves.map(status) }, values);
  expect(found).toEqual(values);
});

it("compare finds the value of an entry that the scenario sets", async () => {
  const steps = [send({ text: "a", colour: "red" })];
  const { values } = await explained({ behaviour: { "body.unknownFields": "reject" }, steps }, {});
  expect(values).toEqual({ "body.unknownFields": "ignore" });
});

it("compare names both where two entries explain the same, and observes neither", async () => {
  const refusal = {
    status: 400,
    body: { body: [{ message: 'should not contains property ["a"]', property: "@" }], headers: [] },
  };
  const steps = [
    {
      request: "POST /api/update-thread-status",
      body: { customerThreadId: "77", status: "waiting", a: 1 },
      expect: {},
    },
  ];
  const found = await explained({ steps }, { "body.unknownFields": "reject" });
  expect(Object.keys(found.values).sort()).toEqual(["body.unknownFields", "threads.notFound"]);
  expect(found.values["threads.notFound"]).toEqual(refusal);
  const observed = found.report.observed.map(({ key }) => key);
  expect(observed).not.toContain("body.unknownFields");
  expect(observed).not.toContain("threads.notFound");
});

it.each(["No template ${request.contentSid}", "Not in ${request.customerThreadId}"])(
  "compare observes no answer that repeats a part of the calls: %s",
  async (error) => {
    const steps = [send({ contentSid: templateId(1) }), send({ contentSid: templateId(2) })];
    const { report } = await explained({ steps }, { "templates.unknown": { status: 404, body: { error } } });
    expect(report.observed.map(({ key }) => key)).not.toContain("templates.unknown");
  },
);

// Slow: each secret setting is searched for by playing the probes again and again.
import { expect, test } from "vitest";
import { probeTrace } from "../../src/cli/calibrate.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";

const ANSWER = { status: 202, body: { accepted: "by the service" } };
/** Visible without writing, and only with it. */
const READ = {
  "ids.acceptNumbers": "reject",
  "query.repeated": "first",
  "graphql.errors": "plain",
  "webhooks.notFound": { status: 410, body: { gone: true } },
} as const;
const WRITTEN = {
  "sendMessage.response": ANSWER,
  "webhooks.createStatus": 201,
  "webhooks.graphqlEvents": ["messages", "transfers"] as ("messages" | "transfers")[],
  "timestamps.unit": "s",
  "profile.updateResponse": ANSWER,
} as const;

test.each([
  ["without --write", false, READ],
  ["with --write", true, { ...READ, ...WRITTEN }],
])("probes %s find the secret settings of a service that they can tell apart", async (_, write, found) => {
  const secret = { ...READ, ...WRITTEN };
  const { url } = await startSimulator({ controlToken: "of-the-test", set: secret });
  const hookPort = await freePort();
  const hook = write ? `http://127.0.0.1:${hookPort}` : undefined;
  const service = { against: url, token: "acme-token", thread: "9001", customer: "cust_001", hook, hookPort };
  const terminal = { out: () => {}, err: () => {}, env: {} };
  const trace = await probeTrace({ ...service, write, plan: false, yes: true }, terminal, 25);
  if (typeof trace === "number") throw new Error(`exit code ${trace}`);
  const { learned } = await learn(trace);
  const changed = learned.filter(
    ({ value, default: initial }) => JSON.stringify(value) !== JSON.stringify(initial),
  );
  expect(Object.fromEntries(changed.map(({ key, value }) => [key, value]))).toEqual(found);
});

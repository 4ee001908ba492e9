/** What a run did not test although it is green. */
import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/client/transport.js";
import { Lints } from "../../src/scenarios/lints.js";
import { run } from "../cli/terminal.js";
import { runSteps, scratch } from "./support.js";

const DETAILS = { request: "GET /api/get-customer-thread-details?customerThreadId=9001", expect: 200 };
const FAULT = { fault: { on: "request", match: { operation: "getWebhook" }, then: "slow" } };

async function remarksOf(steps: readonly object[]): Promise<[string, string][]> {
  const { ok, remarks } = await runSteps(steps, { within: 5000 });
  expect(ok).toBe(true);
  return remarks.map(({ place, message }) => [place.path, message]);
}

describe("a report names", () => {
  it("faults that never fired, those that are cleared or reset included", async () => {
    const never = "the fault never fired: nothing matched it";
    for (const steps of [[DETAILS], [{ clearFaults: true }, { log: "x" }], [{ reset: true }]])
      expect(await remarksOf([FAULT, ...steps])).toEqual([["steps[0]", never]]);
    const later = { fault: { on: "request", after: 1, then: "unavailable" } };
    expect(await remarksOf([later, DETAILS])).toEqual([
      ["steps[0]", "the fault never fired: it matched 1, but its conditions never held"],
    ]);
    const fires = { fault: { on: "request", then: "unavailable" } };
    expect(await remarksOf([fires, { ...DETAILS, expect: 503 }])).toEqual([]);
  });

  it("captures that nobody used", async () => {
    const capture = { ...DETAILS, capture: { state: "status", id: "body" } };
    expect(await remarksOf([capture, { log: "${state}" }])).toEqual([
      ["steps[0].capture.id", 'the capture "id" is never used'],
    ]);
    expect(await remarksOf([capture, { log: "x", name: "${state} ${id}" }])).toEqual([]);
  });

  it("expectations that were met by something older than the step before them", async () => {
    const [one, two, delivered] = [{ customer: "one" }, { customer: "two" }, { delivered: "message" }];
    const older = /^delivered: message: met by an entry older than the step before \(d\d+: message to crm /;
    expect(await remarksOf([one, { window: "open" }, delivered])).toEqual([
      ["steps[2]", expect.stringMatching(older)],
    ]);
    for (const steps of [
      [one, delivered],
      [one, { log: "x" }, { expect: { idle: true } }, delivered],
      [one, two, delivered, delivered],
      [one, { window: "open" }, two, { expect: { delivery: { eventType: "message" }, count: 2 } }],
    ])
      expect(await remarksOf(steps)).toEqual([]);
  });

  it("nothing of a run that failed: the steps that were left out might have", async () => {
    const { ok, remarks } = await runSteps([FAULT, { ...DETAILS, expect: 400 }]);
    expect([ok, remarks]).toEqual([false, []]);
  });
});

it("--strict-scenario makes them failures, in every reporter", async () => {
  const file = scratch()("s.json", JSON.stringify({ token: "acme-token", steps: [FAULT, DETAILS] }));
  const lenient = await run(["run", file]);
  expect([lenient.code, lenient.out]).toEqual([0, expect.stringContaining("Not tested")]);
  expect(lenient.out).toContain(`${file}:1:`);
  for (const reporter of ["pretty", "tap", "junit", "json"]) {
    const { code, out } = await run(["run", file, "--strict-scenario", "--reporter", reporter]);
    expect([reporter, code]).toEqual([reporter, 1]);
    expect(out).toContain("the fault never fired: nothing matched it (--strict-scenario)");
  }
});

describe("a record that is expected to be absent", () => {
  const absent = (collection: string, id: string) => ({
    expect: { state: { collection, id, absent: true } },
  });
  const never = (what: string) => expect.stringContaining(`${what} never existed during the run`);

  it("and has never been there is remarked on, inside a repeat too", async () => {
    const twice = { repeat: { times: 2, steps: [absent("webhooks", "hook_nobody")] } };
    expect(await remarksOf([absent("customers", "cust_0011"), twice])).toEqual([
      ["steps[0]", never("customers/cust_0011")],
      ["steps[1].repeat.steps[0]", never("webhooks/hook_nobody")],
    ]);
  });

  it("is looked for once, however often the step runs", async () => {
    const paths: string[] = [];
    const call = async (_method: string, path: string) => {
      paths.push(path);
      return path === "/start" ? { fixtures: {} } : [];
    };
    const lints = new Lints({ call } as unknown as Transport);
    for (let round = 1; round <= 3; round += 1) await lints.lookedFor("customers", "nobody", false);
    expect(paths).toEqual(["/requests", "/deliveries", "/controls", "/start"]);
  });

  it("is not where it was there at the start, or came and went", async () => {
    const made = { control: "POST /data/customers", body: { id: "new", organizationId: "200" }, id: "made" };
    const seen = { expect: { state: { collection: "customers", id: "new", values: { id: "new" } } } };
    const deleted = { control: "DELETE /data/customers/${made.body.id}" };
    for (const steps of [
      [{ control: "DELETE /data/messages/555011" }, absent("messages", "555011")],
      [made, seen, deleted, absent("customers", "new"), absent("customers", "${made.body.id}")],
      [made, deleted, absent("customers", "new")],
      [made, seen, { reset: true }, absent("customers", "new")],
    ])
      expect(await remarksOf(steps)).toEqual([]);
  });
});

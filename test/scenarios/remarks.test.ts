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
    expect(await remarksOf([FAULT, DETAILS])).toEqual([["steps[0]", never]]);
    expect(await remarksOf([FAULT, { clearFaults: true }, { log: "x" }])).toEqual([["steps[0]", never]]);
    expect(await remarksOf([FAULT, { reset: true }])).toEqual([["steps[0]", never]]);
    const later = { fault: { on: "request", after: 1, then: "unavailable" } };
    expect(await remarksOf([later, DETAILS])).toEqual([
      ["steps[0]", "the fault never fired: it matched 1, but its conditions never held"],
    ]);
    const fires = { fault: { on: "request", then: "unavailable" } };
    expect(await remarksOf([fires, { ...DETAILS, expect: 503 }])).toEqual([]);
  });

  it("a scenario without steps", async () => {
    expect(await remarksOf([])).toEqual([["steps", "the scenario has no steps"]]);
  });

  it("captures that nobody used", async () => {
    const capture = { ...DETAILS, capture: { state: "status", id: "body" } };
    expect(await remarksOf([capture, { log: "${state}" }])).toEqual([
      ["steps[0].capture.id", 'the capture "id" is never used'],
    ]);
    expect(await remarksOf([capture, { log: "x", name: "${state} ${id}" }])).toEqual([]);
  });

  it("expectations that were met by something older than the step before them", async () => {
    const older = [{ customer: "one" }, { window: "open" }, { delivered: "message" }];
    expect(await remarksOf(older)).toEqual([
      [
        "steps[2]",
        expect.stringMatching(
          /^delivered: message: met by an entry older than the step before \(d\d+: message event to crm /,
        ),
      ],
    ]);
    expect(await remarksOf([{ customer: "one" }, { delivered: "message" }])).toEqual([]);
    const both = [{ customer: "one" }, { log: "x" }, { expect: { idle: true } }, { delivered: "message" }];
    expect(await remarksOf(both)).toEqual([]);
    const inRow = [{ customer: "one" }, { customer: "two" }];
    expect(await remarksOf([...inRow, { delivered: "message" }, { delivered: "message" }])).toEqual([]);
    const counted = { expect: { delivery: { eventType: "message" }, count: 2 } };
    expect(await remarksOf([{ customer: "one" }, { window: "open" }, { customer: "two" }, counted])).toEqual(
      [],
    );
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
    const gone = [
      { control: "DELETE /data/messages/555011" },
      absent("messages", "555011"),
      { control: "POST /data/customers", body: { id: "cust_new", organizationId: "200" }, id: "made" },
      { expect: { state: { collection: "customers", id: "cust_new", values: { id: "cust_new" } } } },
      { control: "DELETE /data/customers/${made.body.id}" },
      absent("customers", "cust_new"),
      absent("customers", "${made.body.id}"),
    ];
    expect(await remarksOf(gone)).toEqual([]);
    const unseen = [gone[2], gone[4], gone[5]] as object[];
    expect(await remarksOf(unseen)).toEqual([]);
    const reset = [...gone.slice(2, 4), { reset: true }, absent("customers", "cust_new")];
    expect(await remarksOf(reset)).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { rejection, startClients } from "../support/client.js";

it("a fault is removed at the end of its block if it still exists, and counts how often it fired", async () => {
  const { sandbox } = await startClients();
  const headers = { token: sandbox.token("acme-token"), "Content-Type": "application/json" };
  const details = `${sandbox.url}/api/get-customer-thread-details?customerThreadId=9001`;
  const status = async () => (await fetch(details, { headers })).status;
  {
    const match = { method: "GET" } as const;
    await using fault = await sandbox.fault({ on: "request", match, times: 1, then: "unavailable" });
    expect(fault.rule).toMatchObject({ id: fault.id, preset: "unavailable", then: { status: 503 } });
    expect([await status(), await status()]).toEqual([503, 200]);
    expect(await sandbox.faults()).toMatchObject([{ id: fault.id, seen: 2, fired: 1 }]);
  }
  expect(await sandbox.faults()).toEqual([]);
  await using _gone = await sandbox.fault({ on: "delivery", then: { drop: "before" } });
  await sandbox.clearFaults();
});

it("the stream of a sandbox ends when it is aborted, and when the sandbox is deleted", async () => {
  const { sandbox } = await startClients();
  const abort = new AbortController();
  for await (const { event } of sandbox.stream({ signal: abort.signal }))
    if (event === "hello") abort.abort();
  const events: string[] = [];
  for await (const { event } of sandbox.stream()) {
    events.push(event);
    await sandbox.dispose();
  }
  expect(events[0]).toBe("hello");
  const refused = sandbox.stream().next();
  expect(await rejection(refused)).toMatchObject({ status: 404, code: "not-found" });
});

it("the state of a sandbox has collections that can be listed and searched", async () => {
  const { sandbox } = await startClients();
  const threads = sandbox.data("threads");
  const all = await threads.list();
  const waiting = await threads.list({ status: "waiting" });
  expect(waiting).toEqual(all.filter(({ status }) => status === "waiting"));
  expect(await threads.list({ id: "9001" })).toEqual([await threads.get("9001")]);
  expect(await rejection(threads.get("1"))).toMatchObject({ status: 404 });
});

it("the state of a sandbox loses a deleted record, but none that others refer to", async () => {
  const { sandbox } = await startClients();
  const customers = sandbox.data("customers");
  expect(await rejection(customers.delete("cust_001"))).toMatchObject({ status: 409 });
  await sandbox.data("webhooks").delete("1");
  expect(await sandbox.data("webhooks").list({ id: "1" })).toEqual([]);
});

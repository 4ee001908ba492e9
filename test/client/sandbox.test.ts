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
    expect(await fault.state()).toMatchObject({ seen: 2, fired: 1 });
    expect(await sandbox.faults()).toHaveLength(1);
  }
  expect(await sandbox.faults()).toEqual([]);
  await using gone = await sandbox.fault({ on: "delivery", then: { drop: "before" } });
  await sandbox.clearFaults();
  expect(await gone.state()).toBeUndefined();
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

it("the state of a sandbox has collections that can be listed, paged and searched", async () => {
  const { sandbox } = await startClients();
  const threads = sandbox.data("threads");
  const all = await threads.list();
  const waiting = await threads.list({ status: "waiting" });
  expect(waiting).toEqual(all.filter(({ status }) => status === "waiting"));
  const page = await threads.page(2, { perPage: 2, _sort: "id" });
  expect(page).toMatchObject({ prev: 1, items: all.length });
  expect(page.data).toEqual([...all].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(2, 4));
  expect(await threads.find({ id: "9001" })).toEqual(await threads.get("9001"));
  expect(await threads.find({ id: "1" })).toBeUndefined();
  expect(await rejection(threads.get("1"))).toMatchObject({ status: 404 });
});

it("the state of a sandbox loses a deleted record and the named dependents, but no record that others refer to", async () => {
  const { sandbox } = await startClients();
  const customers = sandbox.data("customers");
  expect(await rejection(customers.delete("cust_001"))).toMatchObject({ status: 409 });
  await customers.delete("cust_001", { dependents: ["threads", "messages"] });
  expect(await customers.find({ id: "cust_001" })).toBeUndefined();
});

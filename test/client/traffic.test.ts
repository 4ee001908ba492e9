import { describe, expect, it } from "vitest";
import { rejection, startClients } from "../support/client.js";

describe("the traffic of a sandbox", () => {
  it("can be filtered and cleared", async () => {
    const { sandbox, bot } = await startClients();
    await bot("One", { customerThreadId: 9001 });
    await bot("Two");
    await sandbox.idle();
    expect(await sandbox.requests({ status: 200, by: "client" })).toHaveLength(2);
    expect((await sandbox.requests({ since: "r1" })).map(({ id }) => id)).toEqual(["r2"]);
    expect(await sandbox.deliveries({ eventType: "message", limit: 1 })).toMatchObject([{ id: "d2" }]);
    expect(await sandbox.warnings({ requestId: "r1" })).toMatchObject([{ requestId: "r1" }]);
    await sandbox.clearRequests();
    await sandbox.clearWarnings();
    expect([...(await sandbox.requests()), ...(await sandbox.warnings())]).toEqual([]);
  });
});

describe("a fault", () => {
  it("is removed at the end of its block, and counts how often it fired", async () => {
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
  });

  it("may be gone before it is removed", async () => {
    const { sandbox } = await startClients();
    const fault = await sandbox.fault({ on: "delivery", then: { drop: "before" } });
    await sandbox.clearFaults();
    expect(await fault.state()).toBeUndefined();
    await fault.remove();
  });
});

describe("the stream of a sandbox", () => {
  it("ends when it is aborted, and when the sandbox is deleted", async () => {
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
});

import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../src/client/index.js";
import { rejection, startClients } from "../support/client.js";

describe("the traffic of a sandbox", () => {
  it("is listed by its fields, and cleared", async () => {
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

  it("is delivered to the system under test, with headers of its own", async () => {
    const { sandbox } = await startClients();
    const sink = sandbox.sink("bot");
    const { extraHeaders } = await sandbox.data("webhooks").get("1");
    expect(await sandbox.connect(sink.url)).toMatchObject({
      webhooks: [{ id: "1", url: sink.url, token: null }],
    });
    expect(await sandbox.data("webhooks").get("1")).toMatchObject({ url: sink.url, extraHeaders });
    await sandbox.connect("sink:bot", { header: "X-Token" });
    await sandbox.customerSays("9001", "Hello");
    await sandbox.idle();
    expect(await sink.received()).toMatchObject([{ headers: { "x-token": sandbox.token("acme-token") } }]);
    expect((await rejection(sandbox.connect("nowhere"))).message).toContain("url must be");
  });

  it("is replayed, and its receivers are tried by hand", async () => {
    const { sandbox } = await startClients();
    await sandbox.customerSays("9001", "Hello");
    const first = await sandbox.waitForDelivery("message");
    const again = await sandbox.replay(first.id);
    expect(again).toMatchObject({ body: first.body });
    await sandbox.idle();
    const bodies = (await sandbox.sink("demo").received()).map(({ body }) => body);
    expect(bodies).toEqual([first.body, first.body]);
    const changed = { eventType: "unknown" };
    expect(await sandbox.replay(first.id, { body: changed })).toMatchObject({ body: changed });
    expect(await sandbox.ping("crm")).toMatchObject({ ok: true });
  });

  it("ends in sinks that answer as they are set", async () => {
    const { sandbox } = await startClients();
    const settings = await sandbox.sink("demo").answer({ status: 418, body: { short: "stout" } });
    expect(settings).toEqual({ status: 418, delayMs: 0, body: { short: "stout" } });
    await sandbox.customerSays("9001", "Hello");
    const { status, attempts } = await sandbox.waitForDelivery("message");
    expect({ status, attempts }).toMatchObject({ status: "failed", attempts: [{ status: 418 }] });
  });
});

describe("a fault", () => {
  it("goes with the block that holds it, and says how often it fired", async () => {
    const { sandbox } = await startClients();
    const headers = { token: sandbox.token("acme-token"), "Content-Type": "application/json" };
    const details = `${sandbox.url}/api/get-customer-thread-details?customerThreadId=9001`;
    const status = async () => (await fetch(details, { headers })).status;
    {
      await using fault = await sandbox.fault({
        on: "request",
        match: { method: "GET" },
        times: 1,
        then: "unavailable",
      });
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
  it("yields what happens until the loop is left", async () => {
    const { sandbox } = await startClients();
    const seen: StreamEvent[] = [];
    for await (const event of sandbox.stream()) {
      seen.push(event);
      if (event.event === "hello") await sandbox.customerSays("9001", "Héllo ✓");
      if (event.event === "delivery" && event.data.status === "delivered") break;
    }
    expect(seen[0]).toMatchObject({ event: "hello", data: { sandbox: sandbox.id } });
    expect(seen.map(({ event }) => event)).toContain("state");
    expect(seen.at(-1)).toMatchObject({ data: { body: { data: { messageBody: "Héllo ✓" } } } });
  });

  it("ends when it is aborted, and when the sandbox goes", async () => {
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

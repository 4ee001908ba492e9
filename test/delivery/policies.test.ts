/** Redirects, updates of a webhook meanwhile, and webhooks whose deliveries fail (behaviours `delivery.*`). */
import { describe, expect, it } from "vitest";
import { newFolder } from "../persistence/support.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";
import { receiver, start } from "./support.js";

const FOLLOW = { "delivery.redirects": "follow" } as const;

/** A receiver that sends its callers elsewhere. */
const redirect = (status: number, location?: string) =>
  receiver((response) => void response.writeHead(status, location === undefined ? {} : { location }).end());

/** What becomes of a delivery whose redirects are followed. */
const followed = async (url: string) => {
  const webhooks = [{ url, extraHeaders: [{ name: "X-Key", value: "k" }] }];
  return (await start({ webhooks, behaviour: FOLLOW }).deliver(7))[0];
};

describe("a redirect", () => {
  it.each([307, 308])("with status %i is followed with method, body and headers", async (status) => {
    const end = await receiver();
    const from = await redirect(status, end.url);
    const delivery = await followed(from.url);
    expect([delivery?.status, delivery?.url, delivery?.attempts.length]).toEqual(["delivered", from.url, 1]);
    expect(end.seen).toMatchObject([{ method: "POST", number: 7, headers: { "x-key": "k" } }]);
  });

  it.each([
    [301, "/other"],
    [302, "/other"],
    [303, "/other"],
    [307, undefined],
  ])("with status %i to %s is a failure", async (status, location) => {
    const from = await redirect(status, location);
    expect(await followed(from.url)).toMatchObject({ status: "failed", attempts: [{ status }] });
    expect(from.seen).toHaveLength(1);
  });

  it("is followed three times at most", async () => {
    const loop = await redirect(308, "/");
    expect(await followed(loop.url)).toMatchObject({ status: "failed" });
    expect(loop.seen).toHaveLength(4);
  });

  it("goes through the outbound guard each time", async () => {
    const local = await redirect(307, "https://production.example/hook");
    const first = await redirect(307, local.url);
    expect(await followed(first.url)).toMatchObject({
      status: "blocked",
      attempts: [{ status: 307 }],
      reason: expect.stringContaining("--allow-outbound production.example"),
    });
    expect([first.seen.length, local.seen.length]).toEqual([1, 1]);
  });
});

/** The customer writes, and everything comes to rest. */
async function write({ control }: Caller, ...texts: string[]): Promise<void> {
  for (const text of texts) await control("POST /threads/9001/inbound", { text });
  await control("POST /wait", { for: "idle" });
}

const deliveriesOf = async ({ control }: Caller) => (await control("GET /deliveries")).body;
const receivedBy = async ({ control }: Caller, sink: string) =>
  (await control(`GET /sinks/${sink}/received`)).body;

describe("a webhook that is saved again after it was deleted", () => {
  const saveAgain = async ({ api }: Caller, name: string) => {
    const variables = { hookId: "again", url: `sink:${name}` };
    await api("POST /graphql", { query: "delete-hook-mutation", variables: { hookId: ["again"] } });
    await api("POST /graphql", { query: "save-hook-mutation", variables });
  };
  const begin = async (behaviour: object) => {
    const s = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
    await s.api("POST /api/webhooks/crm/delete");
    for (const sink of ["old", "new"]) await s.control(`PUT /sinks/${sink}`, { status: 500 });
    await saveAgain(s, "old");
    await write(s, "Hi");
    await saveAgain(s, "new");
    return s;
  };

  it.each([
    ["drop", "dropped", 1],
    ["send", "failed", 2],
  ])("takes over no retry with pendingAfterDisable %s", async (value, status, attempts) => {
    const retry = { "delivery.attempts": 2, "delivery.backoff": ["1m"], "delivery.autoDisable": 1 };
    const s = await begin({ ...retry, "webhooks.pendingAfterDisable": value });
    await s.control("POST /clock/advance", { by: "1m" });
    expect((await deliveriesOf(s))[0]).toMatchObject({ url: "sink:old", status });
    expect(await receivedBy(s, "old")).toHaveLength(attempts);
    expect(await receivedBy(s, "new")).toEqual([]);
    expect((await s.api("GET /api/webhooks/again")).body.enabled).toBe(true);
  });

  it("does not wait for the old one's retries", async () => {
    const s = await begin({ "delivery.attempts": 2, "delivery.backoff": ["1h"] });
    await write(s, "Hi");
    expect(await receivedBy(s, "new")).toHaveLength(1);
  });

  it("keeps the old one's deliveries in order over a restart", async () => {
    const set = { "delivery.attempts": 2, "webhooks.pendingAfterDisable": "send" } as const;
    const options = { data: newFolder(), clock: "2026-01-01T09:00:00Z", set };
    let s = await startSimulator(options);
    await s.control("PUT /sinks/demo", { status: 500 });
    await write(s, "one", "two");
    await s.api("POST /api/webhooks/crm/delete");
    await s.close();
    s = await startSimulator(options);
    await s.control("POST /wait", { for: "idle" });
    const deliveries: { attempts: unknown[] }[] = await deliveriesOf(s);
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 0]);
  });

  it("drops a delivery that fault reorder held back for the old one", async () => {
    const s = await begin({});
    await s.control("POST /faults", { on: "delivery", times: 1, then: { reorder: true } });
    await write(s, "Hi");
    await saveAgain(s, "new");
    await s.control("POST /wait", { for: "idle" });
    expect((await deliveriesOf(s)).at(-1)).toMatchObject({ status: "dropped" });
  });

  it("starts without the old one's failures", async () => {
    const s = await begin({ "delivery.autoDisable": 2 });
    for (const enabled of [true, false]) {
      await write(s, "Hi");
      expect((await s.api("GET /api/webhooks/again")).body.enabled).toBe(enabled);
    }
  });
});

describe("delivery.autoDisable", () => {
  const isEnabled = async ({ api }: Caller) => (await api("GET /api/webhooks/crm")).body.enabled;

  it("counts failures in a row, also over a restart, and starts again once the webhook is enabled", async () => {
    const options = { data: newFolder(), set: { "delivery.autoDisable": 2 } } as const;
    let s = await startSimulator(options);
    const fail = async () => {
      await s.control("PUT /sinks/demo", { status: 500 });
      await write(s, "Hi");
      return isEnabled(s);
    };
    expect(await fail()).toBe(true);
    await s.close();
    s = await startSimulator(options);
    expect(await fail()).toBe(false);
    await write(s, "Hi");
    expect(await deliveriesOf(s)).toHaveLength(1);
    await s.control("POST /deliveries/d2/replay");
    await s.api("POST /api/webhooks/crm/update", { enabled: true });
    expect([await fail(), await fail()]).toEqual([true, false]);
    await s.control("POST /reset");
    expect(await fail()).toBe(true);
  });

  it("counts a delivery once all its attempts have failed, and drops waiting ones", async () => {
    const behaviour = { "delivery.autoDisable": 1, "delivery.attempts": 2 };
    const s = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
    await s.control("PUT /sinks/demo", { status: 500 });
    await write(s, "one", "two");
    expect(await isEnabled(s)).toBe(true);
    await s.control("POST /clock/advance", { by: "1m" });
    await s.control("POST /wait", { for: "idle" });
    expect(await isEnabled(s)).toBe(false);
    const deliveries: { status: string; attempts: unknown[] }[] = await deliveriesOf(s);
    expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ["failed", 2],
      ["dropped", 0],
    ]);
  });
});

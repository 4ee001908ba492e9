/** Redirects, updates of a webhook meanwhile, and webhooks whose deliveries fail (behaviours `delivery.*`). */
import { describe, expect, it } from "vitest";
import { newFolder } from "../persistence/support.js";
import { openSandbox, startSimulator } from "../support/simulator.js";
import { receiver, start } from "./support.js";

const FOLLOW = { "delivery.redirects": "follow" } as const;

/** A receiver that sends its callers elsewhere. */
const redirect = (status: number, location: () => string) =>
  receiver((response) => void response.writeHead(status, { location: location() }).end());

describe("a redirect", () => {
  it.each([
    [307, "delivered"],
    [308, "delivered"],
    [301, "failed"],
    [302, "failed"],
    [303, "failed"],
  ] as const)("with status %i is followed or not: %s", async (status, expected) => {
    const end = await receiver();
    const from = await redirect(status, () => end.url);
    const extraHeaders = [{ name: "X-Key", value: "k" }];
    const { send, settled } = start({ webhooks: [{ url: from.url, extraHeaders }], behaviour: FOLLOW });
    send(7);
    const [delivery] = await settled();
    expect([delivery?.status, delivery?.url, delivery?.attempts.length]).toEqual([expected, from.url, 1]);
    const seen = end.seen.map(({ method, number, headers }) => [method, number, headers["x-key"]]);
    expect(seen).toEqual(expected === "delivered" ? [["POST", 7, "k"]] : []);
  });

  it("is a failure unless redirects are followed, and always without a location", async () => {
    const end = await receiver();
    const [from, nowhere] = [
      await redirect(307, () => end.url),
      await receiver((response) => void response.writeHead(307).end()),
    ];
    for (const [url, behaviour] of [
      [from.url, {}],
      [nowhere.url, FOLLOW],
    ] as const) {
      const { send, settled } = start({ webhooks: [{ url }], behaviour });
      send(1);
      expect((await settled())[0]).toMatchObject({ status: "failed", attempts: [{ status: 307 }] });
    }
    expect(end.seen).toEqual([]);
  });

  it("is followed three times at most", async () => {
    for (const [hops, expected] of [
      [3, "delivered"],
      [4, "failed"],
    ] as const) {
      const chain = await receiver((response, { path }) => {
        const left = Number(path.slice(1));
        if (left === 0) response.end();
        else response.writeHead(308, { location: `/${left - 1}` }).end();
      });
      const url = chain.url.replace("hook", String(hops));
      const { send, settled } = start({ webhooks: [{ url }], behaviour: FOLLOW });
      send(1);
      expect([hops, (await settled())[0]?.status, chain.seen.length]).toEqual([hops, expected, 4]);
    }
  });

  it("goes through the outbound guard each time", async () => {
    const local = await redirect(307, () => "https://production.example/hook");
    const first = await redirect(307, () => local.url);
    const { send, settled } = start({ webhooks: [{ url: first.url }], behaviour: FOLLOW });
    send(1);
    const [delivery] = await settled();
    expect(delivery).toMatchObject({
      status: "blocked",
      attempts: [{ status: 307 }],
      reason: expect.stringContaining("--allow-outbound production.example"),
    });
    expect([first.seen.length, local.seen.length]).toEqual([1, 1]);
  });
});

describe("a webhook that is saved again after it was deleted", () => {
  const save = (name: string) => ({
    query: "save-hook-mutation",
    variables: { hookId: "again", url: `sink:${name}` },
  });
  const remove = { query: "delete-hook-mutation", variables: { hookId: ["again"] } };
  const begin = async (behaviour: object) => {
    const s = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
    await s.api("POST /api/webhooks/crm/delete");
    await s.control("PUT /sinks/old", { status: 500 });
    await s.control("PUT /sinks/new", { status: 500 });
    const write = async () => {
      await s.control("POST /threads/9001/inbound", { text: "Hi" });
      await s.control("POST /wait", { for: "idle" });
    };
    await s.api("POST /graphql", save("old"));
    await write();
    await s.api("POST /graphql", remove);
    await s.api("POST /graphql", save("new"));
    return { ...s, write };
  };

  it.each(["drop", "send"])("takes over no retry, where what waits is to be %s", async (value) => {
    const s = await begin({
      "delivery.attempts": 2,
      "delivery.backoff": ["1m"],
      "webhooks.pendingAfterDisable": value,
    });
    await s.control("POST /clock/advance", { by: "1m" });
    const [delivery] = (await s.control("GET /deliveries")).body;
    const attempts = value === "drop" ? 1 : 2;
    expect([delivery.url, delivery.status]).toEqual(["sink:old", value === "drop" ? "dropped" : "failed"]);
    expect((await s.control("GET /sinks/old/received")).body).toHaveLength(attempts);
    expect((await s.control("GET /sinks/new/received")).body).toEqual([]);
  });

  it("does not wait for the old one's retries", async () => {
    const s = await begin({ "delivery.attempts": 2, "delivery.backoff": ["1h"] });
    await s.write();
    expect((await s.control("GET /sinks/new/received")).body).toHaveLength(1);
  });

  it("keeps the old one's deliveries in order over a restart", async () => {
    const set = { "delivery.attempts": 2, "webhooks.pendingAfterDisable": "send" } as const;
    const options = { data: newFolder(), clock: "2026-01-01T09:00:00Z", set };
    let s = await startSimulator(options);
    await s.control("PUT /sinks/demo", { status: 500 });
    for (const text of ["one", "two"]) await s.control("POST /threads/9001/inbound", { text });
    await s.control("POST /wait", { for: "idle" });
    await s.api("POST /api/webhooks/crm/delete");
    await s.close();
    s = await startSimulator(options);
    await s.control("POST /wait", { for: "idle" });
    const deliveries: { attempts: unknown[] }[] = (await s.control("GET /deliveries")).body;
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 0]);
  });

  it("drops a delivery that fault reorder held back for the old one", async () => {
    const s = await begin({});
    await s.control("POST /faults", { on: "delivery", times: 1, then: { reorder: true } });
    await s.write();
    await s.api("POST /graphql", remove);
    await s.api("POST /graphql", save("new"));
    await s.control("POST /wait", { for: "idle" });
    expect((await s.control("GET /deliveries")).body.at(-1)).toMatchObject({ status: "dropped" });
  });

  it("starts without the old one's failures", async () => {
    const s = await begin({ "delivery.autoDisable": 2 });
    const isEnabled = async () => (await s.api("GET /api/webhooks/again")).body.enabled;
    await s.write();
    expect(await isEnabled()).toBe(true);
    await s.write();
    expect(await isEnabled()).toBe(false);
  });
});

describe("delivery.autoDisable", () => {
  it("counts failures in a row, also over a restart, and starts again once the webhook is enabled", async () => {
    const options = { data: newFolder(), set: { "delivery.autoDisable": 2 } } as const;
    let s = await startSimulator(options);
    const fail = async () => {
      await s.control("PUT /sinks/demo", { status: 500 });
      await s.control("POST /threads/9001/inbound", { text: "Hi" });
      await s.control("POST /wait", { for: "idle" });
      return (await s.api("GET /api/webhooks/crm")).body.enabled;
    };
    expect(await fail()).toBe(true);
    await s.close();
    s = await startSimulator(options);
    expect(await fail()).toBe(false);
    await s.control("POST /threads/9001/inbound", { text: "Hi" });
    expect((await s.control("GET /deliveries")).body).toHaveLength(1);
    await s.control("POST /deliveries/d2/replay");
    await s.api("POST /api/webhooks/crm/update", { enabled: true });
    expect([await fail(), await fail()]).toEqual([true, false]);
    await s.control("POST /reset");
    expect(await fail()).toBe(true);
  });

  it("counts a delivery once all its attempts have failed, and drops waiting ones", async () => {
    const s = await openSandbox({
      clock: "2026-01-01T09:00:00Z",
      behaviour: { "delivery.autoDisable": 1, "delivery.attempts": 2 },
    });
    await s.control("PUT /sinks/demo", { status: 500 });
    for (const text of ["one", "two"]) await s.control("POST /threads/9001/inbound", { text });
    await s.control("POST /wait", { for: "idle" });
    expect((await s.api("GET /api/webhooks/crm")).body.enabled).toBe(true);
    await s.control("POST /clock/advance", { by: "1m" });
    await s.control("POST /wait", { for: "idle" });
    expect((await s.api("GET /api/webhooks/crm")).body.enabled).toBe(false);
    const deliveries: { status: string; attempts: unknown[] }[] = (await s.control("GET /deliveries")).body;
    expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ["failed", 2],
      ["dropped", 0],
    ]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

const waitFor = (state: object, more: object = {}) => sim.control("POST /wait", { for: { state }, ...more });

/** Resolves when this many waits are open. */
async function opened(count: number, sandbox = sim.registry.default): Promise<void> {
  while (sandbox.openWaits !== count) await nextTurn();
}

const RESOLVED = { collection: "threads", id: "9001", values: { status: "resolved" } };

describe("a wait for a state", () => {
  it("responds immediately if a record matches, with its current messaging window", async () => {
    await sim.control("POST /threads/9001/window", { open: false });
    const values = { isMessagingWindowOpen: false, status: { $oneOf: ["waiting", "replied"] } };
    const { status, body } = await waitFor({ collection: "threads", id: "9001", values }, { timeoutMs: 0 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 1, matches: [{ id: "9001", isMessagingWindowOpen: false }] });
  });

  it("responds when the system under test changes the record", async () => {
    const waiting = waitFor(RESOLVED);
    await opened(1);
    await sim.api("POST /api/update-thread-status", { customerThreadId: "9002", status: "resolved" });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    expect(sim.registry.default.openWaits).toBe(1);
    await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status: "resolved" });
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.matches).toEqual([(await sim.control("GET /data/threads/9001")).body]);
  });

  it("responds with any record of the collection, including later ones", async () => {
    const waiting = waitFor({ collection: "messages", values: { text: { $contains: "refund" } } });
    await opened(1);
    const { body: message } = await sim.control("POST /threads/9002/inbound", { text: "A refund, please" });
    expect((await waiting).body).toEqual({ count: 1, matches: [message] });
    const all = await waitFor({ collection: "organizations", values: {} });
    expect(all.body.matches.map(({ id }: { id: string }) => id)).toEqual(["200", "300"]);
  });

  it("responds when time, a reset or a new state makes a record match", async () => {
    await sim.control("PATCH /behaviour", { "window.duration": "24h" });
    await sim.control("POST /threads/9001/window", { open: true });
    const closed = waitFor({ collection: "threads", id: "9001", values: { isMessagingWindowOpen: false } });
    await opened(1);
    await sim.control("POST /clock/advance", { by: "25h" });
    expect((await closed).status).toBe(200);

    const reopened = waitFor({ collection: "threads", id: "9001", values: { isMessagingWindowOpen: true } });
    await opened(1);
    await sim.control("POST /reset");
    expect((await reopened).status).toBe(200);

    const renamed = waitFor({ collection: "organizations", id: "200", values: { name: "Acme" } });
    await opened(1);
    const { body: state } = await sim.control("GET /state");
    state.organizations[0].name = "Acme";
    await sim.control("PUT /state", state);
    expect((await renamed).status).toBe(200);
  });

  it("shows the nearest misses after a timeout", async () => {
    const { status, body } = await waitFor(RESOLVED, { timeoutMs: 5 });
    expect(status).toBe(408);
    const message = "after 5 ms threads 9001 does not match";
    expect(body.error).toMatchObject({ code: "timeout", message });
    expect(body.nearMisses).toEqual([
      {
        id: "9001",
        entry: expect.objectContaining({ id: "9001", status: "waiting" }),
        differences: [{ path: "status", expected: "resolved", seen: "waiting" }],
      },
    ]);
    expect(sim.registry.default.openWaits).toBe(0);
    const any = await waitFor(
      { collection: "threads", values: { channel: "SMS", customerId: "nobody" } },
      { timeoutMs: 5 },
    );
    expect(any.body.nearMisses[0]).toMatchObject({
      entry: { channel: "SMS" },
      differences: [{ path: "customerId", expected: "nobody" }],
    });
    const none = await waitFor({ collection: "threads", id: "1", values: {} }, { timeoutMs: 5 });
    expect(none.body.error.message).toBe("after 5 ms there is no record 1 in threads");
    expect(none.body.nearMisses).toEqual([]);
  });

  it("ends with its sandbox, and ignores other sandboxes", async () => {
    await sim.control("POST /sandboxes", { id: "s1" });
    const waiting = sim.control("POST /sandboxes/s1/wait", { for: { state: RESOLVED } });
    await opened(1, sim.registry.get("s1"));
    await sim.control("PATCH /data/threads/9001", { status: "resolved" });
    expect(sim.registry.get("s1")?.openWaits).toBe(1);
    await sim.control("DELETE /sandboxes/s1");
    expect((await waiting).status).toBe(409);
  });
});

describe("a wait for a reply", () => {
  const SEND = "POST /api/send-message-to-customer-thread";
  const reply = (asked: object, more: object = {}) =>
    sim.control("POST /wait", { for: { reply: { thread: "9001", ...asked } }, ...more });
  const textsOf = ({ body }: { body: { matches: { body: { text?: string } }[] } }) =>
    body.matches.map(({ body: { text } }) => text);

  it("responds with the visible message in the thread that matches", async () => {
    const waiting = reply({ matches: "hello|good morning", not: ["error"] });
    await opened(1);
    await sim.control("POST /threads/9001/inbound", { text: "hello" });
    await sim.api(SEND, { customerThreadId: "9001", text: "hello", internal: true });
    await sim.api(SEND, { customerThreadId: "9003", text: "hello" });
    await sim.api(SEND, { customerThreadId: "9001", text: "Hello, error" });
    const byScenario = { headers: { "x-sim-by": "scenario" } };
    await sim.api(SEND, { customerThreadId: "9001", text: "Hello!" }, byScenario);
    expect(sim.registry.default.openWaits).toBe(1);
    await sim.api(SEND, { customerThreadId: 9001, text: "Good Morning, Alan" });
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(textsOf(answer)).toEqual(["Good Morning, Alan"]);
  });

  it("accepts any visible message, a text, one of several texts, and a template by its title", async () => {
    await sim.api(SEND, { customerThreadId: "9001", text: "One" });
    await sim.api(SEND, { customerThreadId: "9001", text: "Two" });
    expect(textsOf(await reply({}))).toEqual(["One", "Two"]);
    expect(textsOf(await reply({ thread: 9001, text: "Two" }))).toEqual(["Two"]);
    expect(textsOf(await reply({ oneOf: ["One", "Three"] }))).toEqual(["One"]);
    expect(textsOf(await reply({ contains: "w" }))).toEqual(["Two"]);
    const { body: templates } = await sim.control("GET /data/templates");
    const { id: contentSid, title } = templates[0];
    await sim.api(SEND, { customerThreadId: "9001", contentSid });
    expect((await reply({ template: title })).body.matches).toMatchObject([{ body: { contentSid } }]);
  });

  it("shows the nearest messages after timeoutMs or within", async () => {
    await sim.api(SEND, { customerThreadId: "9001", text: "Hello" });
    for (const { status, body } of [
      await reply({ contains: "Bye" }, { timeoutMs: 5 }),
      await reply({ contains: "Bye", within: "5ms" }),
    ]) {
      expect(status).toBe(408);
      expect(body.nearMisses).toMatchObject([
        { id: "r1", differences: [{ path: "body.text", expected: { $contains: "Bye" }, seen: "Hello" }] },
      ]);
    }
  });
});

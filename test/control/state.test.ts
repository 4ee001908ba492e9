import { describe, expect, it } from "vitest";
import { openSandbox, startSimulator } from "../support/simulator.js";

const THREAD = "/data/threads/9001";
const AT = Date.parse("2026-01-01T09:00:00Z");

describe("state", () => {
  it("is replaced as a whole, and restored by a reset", async () => {
    const { control } = await openSandbox();
    const { body: start } = await control("GET /state");
    await control("PUT /state", { organizations: [{ id: "1", name: "Alone" }] });
    const { body } = await control("GET /state");
    expect(body.organizations).toEqual([{ id: "1", name: "Alone" }]);
    expect(body.threads).toEqual([]);
    expect((await control("POST /reset")).status).toBe(200);
    expect((await control("GET /state")).body).toEqual(start);
  });

  it("accepts everything that the API accepted", async () => {
    const { control, api } = await openSandbox();
    const user = { email: "ida@customer.example", locale: "" };
    expect(
      (await api("POST /api/widget/send-message-to-business", { businessId: "1001", message: "", user }))
        .status,
    ).toBe(200);
    const { body: state } = await control("GET /state");
    expect(state.customers.at(-1).locale).toBe("");
    expect((await control("PUT /state", state)).status).toBe(200);
  });

  it("updates the timers of messaging windows", async () => {
    const { control } = await openSandbox({ clock: AT });
    const { body: state } = await control("GET /state");
    state.threads[0].windowClosesAt = AT + 60_000;
    await control("PUT /state", state);
    await control("POST /clock/advance", { by: "1m" });
    expect((await control(`GET ${THREAD}`)).body.isMessagingWindowOpen).toBe(false);
  });
});

describe("snapshots", () => {
  it("restore state, ids and clock", async () => {
    const { control } = await openSandbox({ clock: AT });
    const taken = await control("POST /snapshots", { name: "start" });
    expect([taken.status, taken.body]).toEqual([201, { name: "start", now: AT, frozen: true }]);
    const { body: before } = await control("GET /state");
    const { body: first } = await control("POST /threads/9001/inbound", { text: "Hi" });
    await control("POST /clock/advance", { by: "1h" });
    const restored = await control("POST /snapshots/start/restore");
    expect([restored.status, restored.body]).toEqual([200, taken.body]);
    expect((await control("GET /state")).body).toEqual(before);
    expect((await control("GET /clock")).body).toEqual({ now: AT, frozen: true });
    expect((await control("POST /threads/9001/inbound", { text: "Hi" })).body).toEqual(first);
  });

  it("let a running clock continue from their time", async () => {
    const { control } = await openSandbox();
    await control("PUT /clock", { now: AT });
    const { body: taken } = await control("POST /snapshots", { name: "running" });
    expect(taken.frozen).toBe(false);
    await control("PUT /clock", { now: 0, frozen: true });
    await control("POST /snapshots/running/restore");
    const { body } = await control("GET /clock");
    expect(body.frozen).toBe(false);
    expect(body.now).toBeGreaterThanOrEqual(taken.now);
    expect(body.now).toBeLessThan(taken.now + 60_000);
  });

  it("are replaced, listed and deleted by name", async () => {
    const { control } = await openSandbox({ clock: AT });
    await control("POST /snapshots", { name: "a/b" });
    await control("POST /snapshots", { name: "c" });
    await control("PUT /clock", { now: 5 });
    await control("POST /snapshots", { name: "a/b" });
    expect((await control("GET /snapshots")).body).toEqual([
      { name: "a/b", now: 5, frozen: true },
      { name: "c", now: AT, frozen: true },
    ]);
    expect((await control("DELETE /snapshots/a%2Fb")).status).toBe(200);
    expect((await control("DELETE /snapshots/a%2Fb")).status).toBe(404);
    expect((await control("POST /snapshots/a%2Fb/restore")).status).toBe(404);
  });

  it("with logs undo and redo a whole reset; others restore only state and clock", async () => {
    const { control, api } = await openSandbox({ clock: AT });
    const paths = ["state", "clock", "requests", "deliveries", "controls", "warnings", "changes", "faults"];
    const more = ["behaviour", "sinks/demo/received"];
    const standing = () =>
      Promise.all([...paths, ...more].map(async (path) => (await control(`GET /${path}`)).body));
    await control("PATCH /behaviour", { "delivery.attempts": 3 });
    await control("POST /faults", { on: "request", then: "unavailable", times: 1 });
    await control("PUT /sinks/demo", { status: 503 });
    await control("POST /threads/9001/window", { open: false });
    await control("POST /threads/9001/window", { open: true });
    await api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Hi" });
    await api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Hi" });
    await control("POST /threads/9001/inbound", { text: "Hello" });
    await control("POST /wait", { for: { deliveries: { status: "pending" } } });
    await control("POST /wait", { for: "idle" });
    await control("POST /snapshots", { name: "plain" });
    await control("POST /snapshots", { name: "whole", logs: true });
    const before = await standing();
    expect(before.map((all) => all.length ?? 1)).not.toContain(0);
    await control("POST /reset");
    await control("POST /threads/9002/inbound", { text: "After it" });
    await control("POST /wait", { for: "idle" });
    await control("POST /snapshots", { name: "after", logs: true });
    const after = await standing();
    expect((await control("POST /snapshots/whole/restore")).body).toMatchObject({ now: AT, logs: true });
    expect(await standing()).toEqual(before);
    await control("POST /snapshots/after/restore");
    expect(await standing()).toEqual(after);
    await control("POST /snapshots/plain/restore");
    expect((await control("GET /deliveries")).body).toEqual(after[3]);
    await control("POST /snapshots/whole/restore");
    await control("POST /clock/advance", { by: "1m" });
    const { body } = await control("GET /deliveries");
    expect(body[0]).toMatchObject({ status: "pending", attempts: [{ status: 503 }, { status: 503 }] });
    expect((await control("POST /threads/9001/inbound", { text: "On it goes" })).status).toBe(201);
    expect((await control("GET /deliveries")).body.at(-1).id).toBe(`d${body.length + 1}`);
  });

  it("are taken in the same turn by calls that discard the state", async () => {
    const { control } = await openSandbox();
    const { body: start } = await control("GET /state");
    const [written, read] = [new Set<string>(), new Set<string>()];
    const look = async () => {
      for (const { text } of (await control("GET /data/messages?threadId=9001")).body) read.add(text);
    };
    const say = async (text: string) => {
      if ((await control("POST /threads/9001/inbound", { text })).status === 201) written.add(text);
    };
    const calls = ["POST /reset?snapshot=a", "POST /snapshots/a/restore?snapshot=b", "PUT /state?snapshot=c"];
    for (const call of calls) {
      const many = (when: string) => Array.from({ length: 9 }, (_, at) => say(`${call} ${when} ${at}`));
      const early = many("before");
      const done = control(call, call.startsWith("PUT") ? start : undefined);
      const [{ status }] = await Promise.all([done, ...early, ...many("after")]);
      expect(status, call).toBe(200);
      await look();
    }
    for (const name of ["a", "b", "c"]) {
      await control(`POST /snapshots/${name}/restore`);
      await look();
    }
    expect(written.size).toBe(54);
    expect([...written].filter((text) => !read.has(text))).toEqual([]);
  });

  it("keep the logs of the newest runs only", async () => {
    const { control, api } = await openSandbox();
    await api("GET /nowhere");
    for (let run = 0; run <= 12; run += 1) {
      await control("POST /snapshots", { name: String(run), logs: true });
      await control("POST /reset");
    }
    const { body } = await control("GET /snapshots");
    expect(body.map(({ logs }: { logs: boolean }) => logs)).toEqual([false, ...Array(12).fill(true)]);
    await control("POST /snapshots/0/restore");
    expect((await control("GET /requests")).body).toEqual([]);
  });
});

describe("the behaviour table", () => {
  it("can be changed in part, for one sandbox", async () => {
    const { url, control } = await startSimulator();
    await control("POST /sandboxes", { id: "other" });
    const durationIn = (rows: { key: string; value: unknown }[]) =>
      rows.find(({ key }) => key === "window.duration")?.value;
    const { status, body } = await control("PATCH /behaviour", {
      "auth.missing": { status: 418, body: { error: "no" } },
      "window.duration": "12h",
    });
    expect([status, durationIn(body)]).toEqual([200, "12h"]);
    expect((await control("GET /behaviour")).body).toEqual(body);
    expect(durationIn((await control("GET /sandboxes/other/behaviour")).body)).toBeNull();
    expect((await fetch(`${url}/api/webhooks/`)).status).toBe(418);
  });
});

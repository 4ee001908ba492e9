import { describe, expect, it } from "vitest";
import { openSandbox, startSimulator } from "../support/simulator.js";

const THREAD = "/data/threads/9001";
const AT = Date.parse("2026-01-01T09:00:00Z");

describe("state", () => {
  it("replaces everything, and reset brings back the start", async () => {
    const { control } = await openSandbox();
    const { body: start } = await control("GET /state");
    await control("PUT /state", { organizations: [{ id: "1", name: "Alone" }] });
    const { body } = await control("GET /state");
    expect(body.organizations).toEqual([{ id: "1", name: "Alone" }]);
    expect(body.threads).toEqual([]);
    expect((await control("POST /reset")).status).toBe(200);
    expect((await control("GET /state")).body).toEqual(start);
  });

  it("is put back whatever the API let in", async () => {
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

  it("is not replaced by an unusable document", async () => {
    const { control } = await startSimulator();
    const { body: before } = await control("GET /state");
    const refused = await control("PUT /state", {
      organizations: [{ id: "1", name: 2 }],
      tokens: [{ id: "t", userId: "9" }],
      extra: [],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      "extra",
      "organizations[0].name",
      "tokens[0].userId",
    ]);
    expect((await control("PUT /state", "[]")).status).toBe(400);
    expect((await control("PUT /state", "{")).status).toBe(400);
    expect((await control("PUT /state")).status).toBe(400);
    expect((await control("GET /state")).body).toEqual(before);
  });

  it("keeps the timers of messaging windows in step", async () => {
    const { control } = await openSandbox({ clock: AT });
    const { body: state } = await control("GET /state");
    state.threads[0].windowClosesAt = AT + 60_000;
    await control("PUT /state", state);
    await control("POST /clock/advance", { by: "1m" });
    expect((await control(`GET ${THREAD}`)).body.isMessagingWindowOpen).toBe(false);
  });
});

describe("snapshots", () => {
  it("bring back state, ids and clock", async () => {
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

  it("let a clock that ran run on from their instant", async () => {
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

  it("arm the windows of their state, and no others", async () => {
    const { control } = await openSandbox({ clock: AT, behaviour: { "window.duration": "1h" } });
    await control("POST /threads/9001/window", { open: true });
    await control("POST /snapshots", { name: "open" });
    await control("POST /clock/advance", { by: "2h" });
    await control("POST /threads/9002/window", { open: true });
    await control("POST /snapshots/open/restore");
    await control("POST /clock/advance", { by: "59m" });
    expect((await control(`GET ${THREAD}`)).body.isMessagingWindowOpen).toBe(true);
    await control("POST /clock/advance", { by: "1m" });
    expect((await control(`GET ${THREAD}`)).body.isMessagingWindowOpen).toBe(false);
    expect((await control("GET /data/threads/9002")).body.isMessagingWindowOpen).toBe(false);
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
    expect((await control("POST /snapshots", { name: "" })).status).toBe(400);
    expect((await control("POST /snapshots", {})).status).toBe(400);
  });
});

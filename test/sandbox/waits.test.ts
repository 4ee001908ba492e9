import { beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { MAX_WAITS, TooManyWaits } from "../../src/sandbox/waits.js";
import { Refusal } from "../../src/service/domain/refusal.js";
import { answer, call, complete, receive, waitedOn } from "./entries.js";

const LONG = 10_000;

const ids = (wait: { matches(): { id: string }[] }) => wait.matches().map(({ id }) => id);

describe("waiting for calls", () => {
  let { journal, waiters, sandbox } = waitedOn();
  beforeEach(() => {
    ({ journal, waiters, sandbox } = waitedOn());
  });

  it("counts a call once, however often it changes", () => {
    const wait = waiters.requests({ method: "POST" }, 2, LONG);
    const entry = call(journal);
    journal.changed(entry);
    expect(ids(wait)).toEqual(["r1"]);
    expect(wait.open).toBe(true);
    sandbox.close();
  });

  it("looks at a call when its body has come, and at its status when it is over", () => {
    const byBody = waiters.requests({ body: { text: "Hi" } }, 1, LONG);
    const byStatus = waiters.requests({ body: { text: "Hi" }, status: 200 }, 1, LONG);
    const without = waiters.requests({ body: { text: "Hi" }, status: null }, 1, LONG);
    const entry = receive(journal);
    expect(byBody.open).toBe(true);
    complete(journal, entry, { body: { text: "Hi" } });
    expect([byBody.open, byStatus.open, without.open]).toEqual([false, true, true]);
    answer(journal, entry);
    expect([byStatus.open, without.open]).toEqual([false, true]);
    sandbox.close();
  });

  it("leaves a call that is there but not over to be decided later", () => {
    const entry = complete(journal, receive(journal));
    const wait = waiters.requests({ status: { $any: "integer" } }, 1, LONG);
    expect(wait.open).toBe(true);
    answer(journal, entry, 404);
    expect(wait.open).toBe(false);
  });

  it("knows the token by either of its names", () => {
    const wait = waiters.requests({ token: "acme-token" }, 1, LONG);
    const entry = receive(journal, { token: "s1.acme-token" });
    entry.ownToken = "acme-token";
    complete(journal, entry);
    expect(wait.open).toBe(false);
  });

  it("counts its match with the memory, until it is over", () => {
    const wait = waiters.requests({ body: { $not: { text: "x".repeat(10_000) } } }, 3, LONG);
    expect(sandbox.memory.worlds).toBeGreaterThan(20_000);
    wait.end("dropped");
    expect(sandbox.memory.worlds).toBe(0);
  });

  it("is refused where the memory has no room for its match", () => {
    sandbox.memory.hold({ bytes: sandbox.memory.room });
    expect(() => waiters.requests({ path: "/api/a" }, 1, LONG)).toThrow(Refusal);
    expect(waiters.open).toBe(0);
    expect(sandbox.memory.room).toBe(0);
  });

  it("counts only what comes after `since`, and everything of a log that has begun anew", () => {
    call(journal);
    call(journal);
    const wait = waiters.requests({ path: "/api/a" }, 2, LONG, 1);
    expect(ids(wait)).toEqual(["r2"]);
    journal = sandbox.begin().logs.journal;
    call(journal);
    expect(ids(wait)).toEqual(["r1"]);
    sandbox.close();
  });

  it("ends for many with the same match, each by its own number", () => {
    const waits = [1, 2, 3].map((count) => waiters.requests({ path: "/api/a" }, count, LONG));
    call(journal);
    call(journal);
    expect(waits.map(({ open }) => open)).toEqual([false, false, true]);
    sandbox.close();
    expect(waiters.open).toBe(0);
  });

  it("takes so many waits and no more", () => {
    for (let at = 0; at < MAX_WAITS; at += 1) waiters.requests({ path: `/${at}` }, 1, LONG);
    expect(() => waiters.requests({ path: "/" }, 1, LONG)).toThrow(TooManyWaits);
    expect(() => waiters.idle(LONG)).toThrow(TooManyWaits);
    sandbox.close();
    expect(waiters.open).toBe(0);
    waiters.requests({ path: "/" }, 1, LONG).end("dropped");
  });
});

describe("waiting for idleness", () => {
  it("ends when neither calls nor deliveries are on their way at the same time", async () => {
    const { calls, outbox, waiters } = waitedOn();
    calls.enter();
    const wait = waiters.idle(LONG);
    outbox.enter();
    calls.leave();
    for (let at = 0; at < 5; at += 1) await nextTurn();
    expect(wait.open).toBe(true);
    calls.enter();
    outbox.leave();
    for (let at = 0; at < 5; at += 1) await nextTurn();
    expect(wait.open).toBe(true);
    calls.leave();
    expect(await wait.ended).toBe("met");
  });

  it("does not wait for what was on its way before the sandbox began anew", async () => {
    const { calls, sandbox, waiters } = waitedOn();
    calls.enter();
    const wait = waiters.idle(LONG);
    await nextTurn();
    sandbox.begin();
    expect(await wait.ended).toBe("met");
  });
});

import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { LimitReached } from "../../src/kernel/problems.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import { REQUESTS } from "../../src/sandbox/match.js";
import { start } from "../delivery/support.js";
import { answer, call, complete, receive } from "./entries.js";

const LONG = 10_000;

/** A sandbox on which nothing but the test calls. */
function waitedOn() {
  const { sandbox } = start({ webhooks: [] });
  return { sandbox, waiters: sandbox.waiters, journal: sandbox.run.logs.journal };
}

describe("waiting for calls", () => {
  it("compares a call once its body was received, and its status once it is answered", () => {
    const { journal, waiters } = waitedOn();
    const byBody = waiters.entries(REQUESTS, { body: { text: "Hi" } }, LONG);
    const byStatus = waiters.entries(REQUESTS, { body: { text: "Hi" }, status: 200 }, LONG);
    const without = waiters.entries(REQUESTS, { body: { text: "Hi" }, status: null }, LONG);
    const entry = receive(journal);
    expect(byBody.open).toBe(true);
    complete(journal, entry, { text: "Hi" });
    expect([byBody.open, byStatus.open, without.open]).toEqual([false, true, true]);
    const twice = waiters.entries(REQUESTS, { status: 200 }, LONG, { count: 2 });
    answer(journal, entry);
    expect([byStatus.open, without.open]).toEqual([false, true]);
    journal.changed(entry);
    expect([twice.open, twice.matches().length]).toEqual([true, 1]);
  });

  it("counts only entries after `since`, and all entries after a reset", async () => {
    const { waiters, sandbox } = waitedOn();
    for (let at = 0; at < 2; at += 1) call(sandbox.run.logs.journal);
    const wait = waiters.entries(REQUESTS, { path: "/api/a" }, LONG, { count: 2, since: 1 });
    await expect.poll(() => wait.matches().map(({ id }) => id)).toEqual(["r2"]);
    sandbox.reset();
    call(sandbox.run.logs.journal);
    expect(wait.matches().map(({ id }) => id)).toEqual(["r1"]);
  });

  it("has a maximum number of open waits", () => {
    const { waiters, sandbox } = waitedOn();
    for (let at = 0; at < BOUNDS.waits.limit; at += 1) waiters.entries(REQUESTS, { path: `/${at}` }, LONG);
    expect(() => waiters.entries(REQUESTS, { path: "/" }, LONG)).toThrow(LimitReached);
    expect(() => waiters.idle(LONG)).toThrow(LimitReached);
    sandbox.tell("moved");
    expect(waiters.open).toBe(0);
    waiters.entries(REQUESTS, { path: "/" }, LONG).end("dropped");
  });
});

describe("waiting for idleness", () => {
  it("does not wait for calls from before a reset", async () => {
    const { sandbox, waiters } = waitedOn();
    sandbox.run.calls.enter();
    const wait = waiters.idle(LONG);
    await nextTurn();
    sandbox.reset();
    expect(await wait.ended).toBe("met");
  });
});

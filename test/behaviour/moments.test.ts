/** When tokens expire, undated windows close and rate windows end: over resets, restarts, snapshots and states that are written back. */
import { describe, expect, it } from "vitest";
import { send } from "../conformance/support.js";
import { imageOf, newFolder } from "../persistence/support.js";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";

const HOUR = 3_600_000;
const NINE = Date.UTC(2026, 0, 1, 9);
const HOOKS = "GET /api/webhooks/";
const EXPIRING = { clock: "2026-01-01T09:00:00Z", behaviour: { "tokens.lifetime": "1h" } } as const;
/** Begins a sandbox again, a month later. */
const LATER = { scenario: { name: "Later", clock: "2026-02-01T09:00:00Z", steps: [{ log: "began again" }] } };
const advance = ({ control }: Caller, by: number | string) => control("POST /clock/advance", { by });
const status = async ({ api }: Caller) => (await api(HOOKS)).status;

/** The token has `left` ms to live: it is alive until the last of them, and no longer. */
async function expectLifetime(s: Caller, left: number): Promise<void> {
  await advance(s, left - 1);
  expect(await status(s)).toBe(200);
  await advance(s, 1);
  expect(await status(s)).toBe(401);
}

describe("a token without issuedAt was issued when its sandbox began", () => {
  it("and again at each reset", async () => {
    const s = await openSandbox(EXPIRING);
    await expectLifetime(s, HOUR);
    await s.control("POST /reset");
    await expectLifetime(s, HOUR);
  });

  it("also if its state is written back", async () => {
    const s = await openSandbox(EXPIRING);
    await advance(s, "30m");
    const state = (await s.control("GET /state")).body;
    expect((await s.control("PUT /state", state)).status).toBe(200);
    expect((await s.control("GET /state")).body).toEqual(state);
    await expectLifetime(s, HOUR / 2);
  });

  it("also after a snapshot of it is restored", async () => {
    const s = await openSandbox(EXPIRING);
    await advance(s, "30m");
    await s.control("POST /snapshots", { name: "half" });
    await expectLifetime(s, HOUR / 2);
    await s.control("POST /snapshots/half/restore");
    await expectLifetime(s, HOUR / 2);
    expect((await s.control("POST /scenarios/run", LATER)).body.ok).toBe(true);
    expect(await status(s)).toBe(200);
    await s.control("POST /snapshots/half/restore");
    await expectLifetime(s, HOUR / 2);
  });

  it("also after a snapshot of what a snapshot restored", async () => {
    const s = await openSandbox(EXPIRING);
    await advance(s, "30m");
    await s.control("POST /snapshots", { name: "half" });
    await s.control("POST /reset", { clock: "2026-02-01T09:00:00Z" });
    await s.control("POST /snapshots/half/restore");
    await s.control("POST /snapshots", { name: "again" });
    await s.control("POST /reset", { clock: "2026-02-01T09:00:00Z" });
    await s.control("POST /snapshots/again/restore");
    await expectLifetime(s, HOUR / 2);
  });

  it("also in another process", async () => {
    let data = newFolder();
    /** A process on what the last one would leave if it stopped now. */
    const next = () => {
      data = imageOf(data);
      return startSimulator({ clock: EXPIRING.clock, set: EXPIRING.behaviour, data, durability: "strict" });
    };
    const first = await next();
    await advance(first, "30m");
    await first.control("POST /snapshots", { name: "half" });
    await advance(first, "15m");
    const second = await next();
    await expectLifetime(second, HOUR / 4);
    await second.control("PUT /clock", { now: NINE + 24 * HOUR });
    await second.control("POST /reset");
    await advance(second, "20m");
    const third = await next();
    await expectLifetime(third, (HOUR * 2) / 3);
    await third.control("POST /scenarios/run", LATER);
    await third.control("POST /snapshots/half/restore");
    await expectLifetime(await next(), HOUR / 2);
  });
});

const message = (id: string, threadId: string, hoursAgo: number, fromCustomer = true) => ({
  id,
  threadId,
  fromCustomer,
  employeeUserId: fromCustomer ? null : "2",
  text: "Hi",
  timestamp: NINE - hoursAgo * HOUR,
});
const THREAD = { businessId: "1", customerId: "c", channel: "WHATSAPP", status: "waiting" } as const;
const open = (id: string, more: object = {}) => ({ ...THREAD, id, isMessagingWindowOpen: true, ...more });
const FIXTURE = {
  organizations: [{ id: "1", name: "One" }],
  businesses: [{ id: "1", organizationId: "1", name: "Shop" }],
  users: [{ id: "2", organizationId: "1", email: "a@b.example", displayName: "A", businessIds: ["1"] }],
  tokens: [{ id: "acme-token", userId: "2" }],
  customers: [{ id: "c", organizationId: "1" }],
  threads: [
    ...["10", "11", "12"].map((id) => open(id)),
    open("13", { windowClosesAt: NINE + 30 * HOUR }),
    open("14", { channel: "SMS" }),
    open("15", { isMessagingWindowOpen: false }),
    open("16"),
  ],
  messages: [
    message("1", "10", 5),
    message("2", "10", 2),
    message("3", "10", 1, false),
    message("4", "11", 30),
    message("5", "15", 1),
    message("6", "16", 24),
  ],
};

/** After how many hours each window that is open at the start closes. */
const REALISTIC = { "10": 22, "11": 24, "12": 24, "13": 30, "16": 24 } as const;

const openThreads = async ({ control }: Caller): Promise<string[]> =>
  (await control("GET /data/threads?isMessagingWindowOpen=true")).body.map(({ id }: { id: string }) => id);

/** Advances hour by hour, and tells after how many hours each window has closed. */
async function closings(s: Caller, hours: number): Promise<Record<string, number>> {
  const closed: Record<string, number> = {};
  let open = await openThreads(s);
  for (let hour = 1; hour <= hours; hour += 1) {
    await advance(s, HOUR);
    const left = await openThreads(s);
    for (const id of open) if (!left.includes(id)) closed[id] = hour;
    open = left;
  }
  return closed;
}

/** The threads whose windows are told to have closed, each as often as it was told. */
const toldClosed = async ({ control }: Caller): Promise<string[]> =>
  (await control("GET /changes")).body
    .filter(({ to }: { to: { isMessagingWindowOpen?: boolean } }) => to.isMessagingWindowOpen === false)
    .map(({ threadId }: { threadId: string }) => threadId)
    .sort();

describe("an open window without an end", () => {
  const start = { clock: "2026-01-01T09:00:00Z", fixtures: FIXTURE };

  it("ends a day after the customer's last message with the profile realistic, or after the start", async () => {
    const s = await openSandbox({ ...start, behaviour: "realistic" });
    const { threads } = (await s.control("GET /state")).body;
    expect(threads.map((thread: { windowClosesAt?: number }) => thread.windowClosesAt)).toEqual(
      [22, 24, 24, 30, undefined, undefined, 24].map((hours) => hours && NINE + hours * HOUR),
    );
    expect(await closings(s, 31)).toEqual(REALISTIC);
    expect(await toldClosed(s)).toEqual(Object.keys(REALISTIC));
    expect((await send(s, { customerThreadId: "10", text: "Hi" })).status).toBe(400);
    await s.control("POST /reset");
    expect(await closings(s, 31)).toEqual(REALISTIC);
  });

  it("is closed even if the behaviour changes meanwhile, or after a snapshot is restored", async () => {
    const s = await openSandbox({ ...start, behaviour: {} });
    await s.control("PATCH /behaviour", { "window.duration": "24h", "window.undatedEnd": "lastMessage" });
    await s.control("POST /snapshots", { name: "begin" });
    await advance(s, "31h");
    expect(await toldClosed(s)).toEqual(Object.keys(REALISTIC));
    await s.control("POST /snapshots/begin/restore");
    expect(await openThreads(s)).toHaveLength(6);
    await advance(s, "31h");
    expect(await toldClosed(s)).toEqual(Object.keys(REALISTIC).flatMap((id) => [id, id]));
  });

  it("ends later if a message of the customer is added", async () => {
    const s = await openSandbox({ ...start, behaviour: "realistic" });
    await advance(s, "10h");
    await s.control("POST /data/messages", { ...message("9", "12", 0), timestamp: NINE + 10 * HOUR });
    await s.control("PATCH /data/messages/1", { text: "Hello" });
    expect((await closings(s, 30))["12"]).toBe(24);
    expect(await toldClosed(s)).toContain("12");
  });

  it("ends a day after a record write opened it or added the thread", async () => {
    const s = await openSandbox({ ...start, behaviour: "realistic" });
    await advance(s, "30h");
    const opened = (await s.control("PATCH /data/threads/10", { isMessagingWindowOpen: true })).body;
    const added = (await s.control("POST /data/threads", open("99"))).body;
    for (const { isMessagingWindowOpen, windowClosesAt } of [opened, added])
      expect([isMessagingWindowOpen, windowClosesAt]).toEqual([true, NINE + 54 * HOUR]);
    // Writing back what is shown moves nothing.
    await advance(s, "1h");
    expect((await s.control("PUT /data/threads/10", opened)).body).toEqual(opened);
    const again = await s.control("PATCH /data/threads/10", { isMessagingWindowOpen: true });
    expect(again.body.windowClosesAt).toBe(NINE + 54 * HOUR);
    await advance(s, "24h");
    expect(await openThreads(s)).not.toContain("10");
  });

  it("is kept over a restart", async () => {
    const options = { ...start, behaviour: "realistic", data: newFolder() } as const;
    const first = await startSimulator(options);
    await advance(first, "10h");
    await first.close();
    const again = await startSimulator(options);
    expect(await closings(again, 21)).toEqual({ "10": 12, "11": 14, "12": 14, "13": 20, "16": 14 });
  });
});

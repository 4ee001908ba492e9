import { beforeEach, expect, it } from "vitest";
import { fromKeys, keysOf } from "../../src/kernel/objects.js";
import { type Running, startSimulator } from "../support/simulator.js";

const START = Date.UTC(2026, 0, 1, 9);
const HOUR = 3_600_000;
const EXPIRING = "9001";
const SMS = "9003";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator({ clock: START });
  await sim.control(`PATCH /data/threads/${EXPIRING}`, { windowClosesAt: START + HOUR });
});

/** Expects every reader to show a thread's messaging window as open or closed. */
async function expectOpen(id: string, isOpen: boolean): Promise<void> {
  const get = async (path: string) => (await sim.control(`GET /${path}`)).body;
  const idIs = (thread: { id: string }) => thread.id === id;
  const details = await sim.api(`GET /api/get-customer-thread-details?customerThreadId=${id}`);
  const readings = {
    api: details.body.isMessagingWindowOpen,
    state: (await get("state")).threads.find(idIs).isMessagingWindowOpen,
    list: (await get(`data/threads?id=${id}`))[0].isMessagingWindowOpen,
    filter: (await get("data/threads?isMessagingWindowOpen=true")).some(idIs),
    record: (await get(`data/threads/${id}`)).isMessagingWindowOpen,
    written: (await sim.control(`PATCH /data/threads/${id}`, {})).body.isMessagingWindowOpen,
    transcript: /messaging window open/.test(await get(`threads/${id}/transcript?format=md`)),
  };
  expect(readings).toEqual(fromKeys(keysOf(readings), () => isOpen));
}

it("all readers agree on a messaging window when the frozen clock is set past its end, and back", async () => {
  await expectOpen(EXPIRING, true);
  await sim.control("PUT /clock", { now: START + HOUR });
  await expectOpen(EXPIRING, false);
  await sim.control("PUT /clock", { now: START + HOUR - 1 });
  await expectOpen(EXPIRING, true);
  await sim.control(`PATCH /data/threads/${EXPIRING}`, { isMessagingWindowOpen: false });
  await expectOpen(EXPIRING, false);
});

it("all readers agree on a messaging window on a channel without one, though it is stored as closed", async () => {
  await sim.control(`PATCH /data/threads/${SMS}`, { isMessagingWindowOpen: false });
  await expectOpen(SMS, true);
  await sim.control("PATCH /behaviour", { "window.channels": ["WHATSAPP", "SMS"] });
  await expectOpen(SMS, false);
});

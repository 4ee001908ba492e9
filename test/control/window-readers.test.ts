import { describe, expect, it } from "vitest";
import { nextSteps } from "../../src/cli/serve.js";
import { fromKeys, keysOf } from "../../src/kernel/objects.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const START = Date.UTC(2026, 0, 1, 9);
const HOUR = 3_600_000;
const EXPIRING = "9001";
const SMS = "9003";

/** Expects every reader to show a thread's messaging window as open or closed. */
async function expectOpen(sim: Running, id: string, isOpen: boolean): Promise<void> {
  const { control, api, registry } = sim;
  const details = await api(`GET /api/get-customer-thread-details?customerThreadId=${id}`);
  const { threads } = (await control("GET /state")).body;
  const listed = (await control(`GET /data/threads?id=${id}`)).body;
  const open = (await control("GET /data/threads?isMessagingWindowOpen=true")).body;
  const transcript = String((await control(`GET /threads/${id}/transcript?format=md`)).body);
  const { run } = registry.default;
  const text = nextSteps(sim.url, run.shown());
  const readings = {
    api: details.body.isMessagingWindowOpen,
    state: threads.find((thread: { id: string }) => thread.id === id).isMessagingWindowOpen,
    list: listed[0].isMessagingWindowOpen,
    filter: open.some((thread: { id: string }) => thread.id === id),
    record: (await control(`GET /data/threads/${id}`)).body.isMessagingWindowOpen,
    written: (await control(`PATCH /data/threads/${id}`, {})).body.isMessagingWindowOpen,
    transcript: /messaging window open/.test(transcript),
    start: !new RegExp(`${id} \\([^)]*window closed`).test(text),
  };
  expect(readings).toEqual(fromKeys(keysOf(readings), () => isOpen));
}

describe("all readers agree on a messaging window", () => {
  it("when the frozen clock is set past its end, and back", async () => {
    const sim = await startSimulator({ clock: START });
    await sim.control(`PATCH /data/threads/${EXPIRING}`, { windowClosesAt: START + HOUR });
    await expectOpen(sim, EXPIRING, true);
    await sim.control("PUT /clock", { now: START + 2 * HOUR });
    await expectOpen(sim, EXPIRING, false);
    await sim.control("PUT /clock", { now: START });
    await expectOpen(sim, EXPIRING, true);
  });

  it("when the clock advances to the millisecond of its end", async () => {
    const sim = await startSimulator({ clock: START });
    await sim.control(`PATCH /data/threads/${EXPIRING}`, { windowClosesAt: START + HOUR });
    await sim.control("POST /clock/advance", { by: HOUR - 1 });
    await expectOpen(sim, EXPIRING, true);
    await sim.control("POST /clock/advance", { by: 1 });
    await expectOpen(sim, EXPIRING, false);
  });

  it("on a channel without one, though it is stored as closed", async () => {
    const sim = await startSimulator({ clock: START });
    await sim.control(`PATCH /data/threads/${SMS}`, { isMessagingWindowOpen: false });
    await expectOpen(sim, SMS, true);
    await sim.control("PATCH /behaviour", { "window.channels": ["WHATSAPP", "SMS"] });
    await expectOpen(sim, SMS, false);
  });
});

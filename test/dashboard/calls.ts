/** What is often asked of the simulator behind the page. */
import { expect } from "vitest";
import type { Running } from "../support/simulator.js";

export const SEND = "POST /api/send-message-to-customer-thread";
export const READ = "GET /api/get-customer-thread-details?customerThreadId=9001";
export const START = "2026-01-01T09:00:00Z";

/** What the control API answers to a GET. */
export const read = async (sim: Running, path: string) => (await sim.control(`GET ${path}`)).body;
export const idle = (sim: Running) => sim.control("POST /wait", { for: "idle" });
/** The customer of a thread writes, from elsewhere. */
export const inbound = (sim: Running, text: string, thread = "9001") =>
  sim.control(`POST /threads/${thread}/inbound`, { text });
export const reply = (sim: Running, text: string, thread = "9001") =>
  sim.api(SEND, { customerThreadId: thread, text });
/** Calls the API so many times, as a polling bot does. */
export const poll = async (sim: Running, count: number) => {
  for (let left = count; left > 0; left -= 50)
    await Promise.all(Array.from({ length: Math.min(50, left) }, () => sim.api(READ)));
};

/** Gives thread 9001 so many messages, of one line and of several, and a last one. */
export async function fillThread(sim: Running, count: number): Promise<void> {
  const state = await read(sim, "/state");
  const [first] = state.messages;
  const tail = ", which says more than a line holds".repeat(9);
  const messages = Array.from({ length: count + 1 }, (_, at) => ({
    ...first,
    id: String(1_000_001 + at),
    text: at === count ? "The last one" : `Number ${at + 1}${at % 3 === 0 ? tail : ""}`,
    timestamp: first.timestamp + at * 1_000,
  }));
  expect((await sim.control("PUT /state", { ...state, messages })).status).toBe(200);
}

/** A client on a socket of its own, as a system under test would be. */
import { request as rawRequest, talk } from "../hostile/raw.js";
import type { Caller } from "../support/simulator.js";

export const SEND = "/api/send-message-to-customer-thread";
export const DETAILS = "/api/get-customer-thread-details?customerThreadId=9001";

/** The answer to one request on a connection of its own. */
export async function ask(url: string, line: string, headers: Record<string, string> = {}, body = "") {
  const { answers } = await talk(url, [rawRequest(line, headers, body)], { head: line.startsWith("HEAD ") });
  return answers[0] ?? { status: 0, head: "", body: "null" };
}

/** Waits until nothing is on its way. */
export async function settled(sim: Caller, sandbox = ""): Promise<void> {
  const { status } = await sim.control(`POST ${sandbox}/wait`, { for: "idle" });
  if (status !== 200) throw new Error("does not come to rest");
}

/** A client on a socket of its own, as a system under test would be. */
import { request as rawRequest, talk } from "../hostile/raw.js";
import type { Caller } from "../support/simulator.js";

export const SEND = "/api/send-message-to-customer-thread";
export const DETAILS = "/api/get-customer-thread-details?customerThreadId=9001";
export const HUNG_UP = "hung up";

export interface Seen {
  readonly status: number;
  readonly head: string;
  readonly text: string;
  /** Real time until the end of the answer, ms. */
  readonly ms: number;
}

/** What a call leads to: an answer as it came, or the connection closed without a byte. */
export async function call(
  { url, tokenOf }: Caller,
  line: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<Seen | typeof HUNG_UP> {
  const before = performance.now();
  const text = body === undefined ? "" : JSON.stringify(body);
  const { answers, text: bytes } = await talk(url, [
    rawRequest(line, { token: tokenOf(), ...headers }, text),
  ]);
  const [answer] = answers;
  if (answer === undefined) return bytes === "" ? HUNG_UP : Promise.reject(new Error(`half of: ${bytes}`));
  return { status: answer.status, head: answer.head, text: answer.body, ms: performance.now() - before };
}

/** The answer to one request on a connection of its own. */
export async function ask(url: string, line: string, headers: Record<string, string> = {}, body = "") {
  const { answers } = await talk(url, [rawRequest(line, headers, body)], { head: line.startsWith("HEAD ") });
  return answers[0] ?? { status: 0, head: "", body: "null" };
}

/** Sends a message with the token `acme-token`. */
export const say = (sim: Caller, text: string) =>
  call(sim, `POST ${SEND}`, { customerThreadId: "9001", text });

/** The text of the last message of thread 9001. */
export async function lastText(sim: Caller): Promise<string> {
  const { body } = await sim.control("GET /data/messages?threadId=9001");
  return body.at(-1).text;
}

/** Waits until nothing is on its way. */
export async function settled(sim: Caller, sandbox = ""): Promise<void> {
  const { status } = await sim.control(`POST ${sandbox}/wait`, { for: "idle" });
  if (status !== 200) throw new Error("does not come to rest");
}

/** How the run finds out that a system under test has come up. */
import { once } from "node:events";
import { connect } from "node:net";
import { reasonOf } from "../kernel/os-errors.js";
import { later, monotonicNow, sleep } from "../kernel/realtime.js";

/** What is waited for, and a try at it. */
interface Readiness {
  /** As a phrase that follows "waited for". */
  readonly what: string;
  /** Why it is not ready yet; undefined once it is. */
  readonly attempt: (signal: AbortSignal) => Promise<string | undefined>;
}

const BETWEEN_TRIES = 20;

/** The port of an address takes connections. */
export function portOf(address: string): Readiness {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  const number = Number(port || (protocol === "https:" ? 443 : 80));
  return {
    what: `port ${number} of ${host} to take connections`,
    attempt: async (signal) => {
      const socket = connect({ host, port: number });
      try {
        await once(socket, "connect", { signal });
        return undefined;
      } catch (error) {
        return reasonOf(error);
      } finally {
        socket.destroy();
      }
    },
  };
}

/** An address answers with a success. */
export const successAt = (address: string): Readiness => ({
  what: `${address} to answer with a success`,
  attempt: async (signal) => {
    try {
      const answer = await fetch(address, { signal });
      await answer.body?.cancel();
      return answer.ok ? undefined : `it answered ${answer.status}`;
    } catch (error) {
      return reasonOf(error);
    }
  },
});

/** It has written something. */
export const anyOutput = (hasWritten: () => boolean): Readiness => ({
  what: "it to print something",
  attempt: async () => (hasWritten() ? undefined : "it printed nothing"),
});

/**
 * Tries until it is ready, the time is up or `isOver`.
 *
 * @returns why the last try failed; undefined when it is ready
 */
export async function untilReady(
  { attempt }: Readiness,
  { within, isOver }: { readonly within: number; readonly isOver: () => boolean },
): Promise<string | undefined> {
  const deadline = monotonicNow() + within;
  const timeUp = new AbortController();
  const timer = later(within, () => timeUp.abort());
  let why: string | undefined = "it was not tried";
  try {
    while (monotonicNow() < deadline && !isOver()) {
      const failure = await attempt(timeUp.signal);
      if (failure === undefined) return undefined;
      // A try that the end of the time cut off says nothing about the program.
      if (!timeUp.signal.aborted || why === "it was not tried") why = failure;
      await sleep(BETWEEN_TRIES);
    }
    return why;
  } finally {
    timer.cancel();
  }
}

/** Whatever happens in a sandbox, its recording replays: the same calls, answers and deliveries. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { expectReplays, outsideReceiver } from "./recorder.js";
import type { Act } from "./sessions.js";
import { sessions } from "./sessions.js";

/** Does what a session says, each thing when all that came before has settled. */
async function perform(sim: Running, sandbox: string, receiver: string, acts: readonly Act[]): Promise<void> {
  const stage = { sim, sandbox, receiver, threads: [], hooks: [] };
  for (const act of acts) {
    await act(stage);
    await sim.control(`POST /sandboxes/${sandbox}/wait`, { for: "idle" });
  }
}

/** Records and replays so many sessions. */
export async function replaysSessions(numRuns: number): Promise<void> {
  const sim = await startSimulator({ set: {} });
  const receiver = await outsideReceiver((call) => (call % 3 === 0 ? 500 : 200));
  let made = 0;
  await fc.assert(
    fc.asyncProperty(sessions, async ({ start, frozen, outside, acts }) => {
      made += 1;
      const sandbox = `session${made}`;
      await sim.control("POST /sandboxes", { id: sandbox, ...start, ...frozen });
      if (outside) await sim.control(`PATCH /sandboxes/${sandbox}/data/webhooks/1`, { url: receiver.url });
      await perform(sim, sandbox, receiver.url, acts);
      const heard = receiver.calls();
      const text = await expectReplays(sim, sandbox, "clock" in frozen);
      expect(receiver.calls(), "the receiver is not called again").toBe(heard);
      expect(text).not.toContain("s3cret");
      await sim.control(`DELETE /sandboxes/${sandbox}`);
    }),
    { numRuns },
  );
}

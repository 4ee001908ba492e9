/** Whatever happens in a sandbox, its recording replays: the same calls, answers and deliveries. */
import fc from "fast-check";
import { expect } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { expectReplays, outsideReceiver } from "./recorder.js";
import { filled, sessions } from "./sessions.js";

/** Records and replays so many sessions. */
export async function replaysSessions(numRuns: number): Promise<void> {
  const sim = await startSimulator({ set: {} });
  const receiver = await outsideReceiver((call) => (call % 3 === 0 ? 500 : 200));
  let made = 0;
  await fc.assert(
    fc.asyncProperty(sessions, async ({ start, frozen, outside, acts }) => {
      made += 1;
      const sandbox = `session${made}`;
      const control = (line: string, body?: unknown) =>
        sim.control(line.replace(" ", ` /sandboxes/${sandbox}`), body);
      await sim.control("POST /sandboxes", { id: sandbox, ...start, ...frozen });
      if (outside) await control("PATCH /data/webhooks/1", { url: receiver.url });
      const newest: { thread?: string; hook?: string } = {};
      for (const { call, isOfNewest, ...drawn } of acts) {
        const own = { ...drawn, ...(isOfNewest && newest) };
        const state = call.line === "PUT /state" ? (await control("GET /state")).body : undefined;
        const names = { ...own, number: Number(own.thread) || 1, receiver: receiver.url, state };
        const [method, path = "", token = "acme-token"] = filled(call.line, names).split(" ");
        const body = call.body && filled(call.body, names);
        const answer = /^\/(api|graphql)/.test(path)
          ? await sim
              .api(`${method} ${path}`, body, { token: `${sandbox}.${token}` })
              .catch(() => ({ body: {} }))
          : await control(`${method} ${path}`, body);
        const made = answer.body ?? {};
        newest.thread = (path === "/data/threads" && made.id) || made.customerThreadId || newest.thread;
        newest.hook = made.hookId ?? newest.hook;
        await control("POST /wait", { for: "idle" });
      }
      const heard = receiver.calls();
      const text = await expectReplays(sim, sandbox, "clock" in frozen);
      expect(receiver.calls(), "the receiver is not called again").toBe(heard);
      expect(text).not.toContain("s3cret");
      await sim.control(`DELETE /sandboxes/${sandbox}`);
    }),
    { numRuns },
  );
}

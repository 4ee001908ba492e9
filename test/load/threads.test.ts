import { expect, it, onTestFinished, vi } from "vitest";
import { Threads } from "../../src/lab/load/threads.js";
import { transportTo } from "../../src/scenarios/http.js";
import { read } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";

it("deletes customers some time after their conversation, with thread and messages, and nothing else", async () => {
  const sim = await startSimulator();
  const before = (await sim.control("GET /state")).body;
  const threads = new Threads(transportTo({ url: sim.url }), "12345", 0);
  onTestFinished(() => threads.close());
  const scenario = await read({ thread: "9001", steps: [{ customer: "Hello" }] });
  expect(await threads.prepare([scenario])).toEqual([]);
  const first = await threads.make(scenario);
  const second = await threads.make(scenario);
  await sim.control(`POST /threads/${first.id}/inbound`, { text: "Hello" });
  threads.end(first);
  await vi.waitFor(
    async () => expect((await sim.control(`GET /data/threads/${first.id}`)).status).toBe(404),
    { timeout: 20_000 },
  );
  expect((await sim.control(`GET /data/messages?threadId=${first.id}`)).body).toEqual([]);
  const { body: thread } = await sim.control(`GET /data/threads/${second.id}`);
  expect(thread).toMatchObject({ businessId: "1001", channel: "WHATSAPP", status: "waiting" });
  await sim.control(`DELETE /data/customers/${second.customerId}?_dependent=threads,messages`);
  expect((await sim.control("GET /state")).body).toEqual(before);
});

it("reports a scenario whose thread does not exist", async () => {
  const sim = await startSimulator();
  const threads = new Threads(transportTo({ url: sim.url }), "12345");
  const scenario = await read('thread: "9999"\nsteps:\n  - customer: Hello\n');
  expect(await threads.prepare([scenario])).toMatchObject([
    { file: "s.yaml", line: 1, column: 9, path: "thread", message: "there is no thread 9999" },
  ]);
});

/** The built package in a test whose runner fakes timers: nothing of it may stand still. Needs dist/. */
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serverOf } from "../support/server.js";

const from = (file: string) => new URL(`../../dist/${file}`, import.meta.url).href;
const { createSimulator } = (await import(from("library/index.js"))) as typeof import("../../src/index.js");
const { SimClient } = (await import(from("client/index.js"))) as typeof import("../../src/client/index.js");
const { test } = (await import(from("adapters/vitest.mjs"))) as typeof import("../../src/adapters/vitest.js");

/** A bot of the same process, which calls with `node:http`: a faked `setImmediate` stops `fetch` there. */
const startBot = (api: string, token: string): Promise<string> =>
  serverOf(async (event, response) => {
    const { data } = (await json(event)) as { data: { fromCustomer: boolean; messageBody: string } };
    response.end();
    if (!data.fromCustomer) return;
    const headers = { token, "content-type": "application/json" };
    const call = request(`${api}/api/send-message-to-customer-thread`, { method: "POST", headers });
    call.once("response", (answer) => answer.resume());
    call.end(JSON.stringify({ customerThreadId: "9001", text: `You said: ${data.messageBody}` }));
  });

afterEach(() => void vi.useRealTimers());

const ALSO = ["setTimeout", "setInterval", "setImmediate", "Date", "performance", "queueMicrotask"] as const;

describe.each([
  ["as vitest fakes them by itself", {}],
  ["with queueMicrotask too", { toFake: [...ALSO] }],
])("faked timers, %s", (_how, config) => {
  test("stop neither deliveries nor waits", async ({ sandbox }) => {
    vi.useFakeTimers(config);
    vi.setSystemTime(0);
    await sandbox.connect(await startBot(sandbox.url, sandbox.token("acme-token")));
    for (const text of ["one", "two", "three"]) {
      await sandbox.customerSays("9001", text);
      await sandbox.waitForReply("9001", `You said: ${text}`);
    }
    await sandbox.advance("25h");
    await sandbox.idle();
    await expect(sandbox.waitForReply("9001", {}, { within: 30 })).rejects.toThrow("within 30 ms");
    const getHooks = { request: "POST /graphql", body: { query: "get-hook-query" }, expect: 200 };
    const report = await sandbox.run({ token: "acme-token", steps: [{ wait: "5ms" }, getHooks] });
    expect(report.steps.map((step) => step.message)).toEqual([undefined, undefined]);
    // The simulator's clock is the machine's, not the test's.
    expect(Date.now()).toBe(0);
    expect((await sandbox.clock()).now).toBeGreaterThan(1_000_000_000_000);
  });
});

it("may be faked before a simulator starts", async () => {
  expect.assertions(1);
  vi.useFakeTimers();
  const sim = await createSimulator();
  const client = new SimClient(sim.url);
  await client.customerSays("9001", "Hello");
  await client.waitForDelivery({ eventType: "message", status: "delivered" });
  for await (const { event } of client.stream()) {
    expect(event).toBe("hello");
    break;
  }
  await sim.close();
});

/** The command `record`, as somebody types it. */
import { describe, expect, it } from "vitest";
import { start } from "../cli/program.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const type = { "content-type": "application/json" };
  await fetch(url, { method: "POST", headers: { ...type, ...headers }, body: JSON.stringify(body) });
}

describe("messaging-sim record", () => {
  it("prints a scenario that messaging-sim run passes", { timeout: 30_000 }, async () => {
    const server = start(["serve", "--port", "0", "--control-token", "open-up"]);
    const url = await server.url();
    const guard = { authorization: "Bearer open-up" };
    await post(`${url}/__sim/threads/9001/inbound`, { text: "Hello" }, guard);
    const reply = { customerThreadId: "9001", text: "Hi!" };
    await post(`${url}/api/send-message-to-customer-thread`, reply, { token: "acme-token" });

    const recorder = start(["record", "--url", url, "--as", "replay", "--control-token", "open-up"]);
    expect([await recorder.exited, recorder.stderr()]).toEqual([0, ""]);
    const text = recorder.stdout();
    expect(text).toContain("steps:\n  - customer: Hello\n");
    expect(text).not.toContain("open-up");

    const file = scratch()("recorded.yaml", text);
    const runner = start(["run", file]);
    expect([await runner.exited, runner.stderr()]).toEqual([0, ""]);
  });

  it("says what it cannot use", async () => {
    const sim = await startSimulator({ controlToken: "open-up" });
    expect(await run(["record"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^--url: is missing/),
    });
    expect(await run(["record", "--url", "sim"])).toMatchObject({
      code: 2,
      err: '--url: must be an http or https URL, but is "sim"\n',
    });
    expect(await run(["record", "--url", "http://127.0.0.1:1"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("no simulator answers there"),
    });
    expect(await run(["record", "--url", sim.url])).toMatchObject({
      code: 2,
      err: expect.stringContaining("401"),
    });
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "open-up" };
    expect(await run(["record", "--url", `${sim.url}/`, "--sandbox", "none"], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no sandbox "none"'),
    });
    expect(await run(["record", "--url", `${sim.url}/`], env)).toMatchObject({ code: 0, err: "" });
  });

  it("notes beside the scenario what is not in it", async () => {
    const sim = await startSimulator({ journalLimit: 1 });
    for (const _ of [1, 2, 3]) await sim.api("GET /api/webhooks/");
    expect(await run(["record", "--url", sim.url, "--as", "replay"])).toMatchObject({
      code: 0,
      err: "the first 2 calls are no longer kept: raise --journal-limit\n",
    });
  });
});

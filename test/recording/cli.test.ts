/** The command `record`, as somebody types it. */
import { describe, expect, it } from "vitest";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";

describe("messaging-sim record", () => {
  it("prints a scenario that messaging-sim run passes", async () => {
    const { url, control, api } = await startSimulator({ controlToken: "open-up" });
    const guard = { authorization: "Bearer open-up" };
    await control("POST /threads/9001/inbound", { text: "Hello" }, guard);
    await api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "Hi!" });

    const recorded = await run(["record", "--as", "replay", "--url", url, "--control-token", "open-up"]);
    expect(recorded).toMatchObject({ code: 0, err: "" });
    expect(recorded.out).toContain("steps:\n  - customer: Hello\n");
    expect(recorded.out).not.toContain("open-up");
    const file = scratch()("recorded.yaml", recorded.out);
    expect(await run(["run", file])).toMatchObject({ code: 0, err: "" });
  });

  it("says what it cannot use", async () => {
    const { url } = await startSimulator({ controlToken: "open-up" });
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "open-up" };
    for (const [words, message] of [
      [["--url", "sim"], '--url: must be an http or https URL such as http://127.0.0.1:3000, but is "sim"\n'],
      [["--url", "http://127.0.0.1:1"], "no simulator answers at http://127.0.0.1:1: "],
      [["--url", url, "--control-token", "wrong"], "401"],
      [["--url", `${url}/`, "--sandbox", "none"], 'there is no sandbox "none"'],
    ] as [string[], string][])
      expect(await run(["record", ...words], env)).toEqual({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      });
    expect(await run(["record", "--url", `${url}/`], env)).toMatchObject({ code: 0, err: "" });
    const address = new URL(url).host;
    expect(await run(["record"], { ...env, MESSAGING_SIM_URL: address })).toMatchObject({ code: 0, err: "" });
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

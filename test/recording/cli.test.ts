/** The command `record`, as somebody types it. */
import { describe, expect, it } from "vitest";
import { run } from "../cli/terminal.js";
import { startSimulator } from "../support/simulator.js";

describe("messaging-sim record", () => {
  it("finds the simulator and its sandbox, or says what it cannot use", async () => {
    const { url } = await startSimulator({ controlToken: "open-up" });
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "open-up" };
    for (const [words, message] of [
      [["--url", "sim"], '--url: must be an http or https URL such as http://127.0.0.1:3000, but is "sim"\n'],
      [
        ["--url", "http://127.0.0.1:1"],
        "no simulator answers at http://127.0.0.1:1: connection refused, nothing listens at that port (ECONNREFUSED); start one with messaging-sim serve, or name another with --url or MESSAGING_SIM_URL\n",
      ],
      [["--url", url, "--control-token", "wrong"], "401"],
      [["--url", `${url}/`, "--sandbox", "none"], 'there is no sandbox "none"'],
    ] as [string[], string][])
      expect(await run(["record", ...words], env)).toEqual({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      });
    for (const [words, variables] of [
      [["--url", `${url}/`], env],
      [["--url", url, "--control-token", "open-up"], {}],
      [[], { ...env, MESSAGING_SIM_URL: new URL(url).host }],
    ] as [string[], Record<string, string>][]) {
      const recorded = await run(["record", ...words], variables);
      expect(recorded).toMatchObject({ code: 0, err: "" });
      expect(recorded.out).not.toContain("open-up");
    }
  });

  it("notes in the scenario and beside it what is not in it", async () => {
    const sim = await startSimulator({ journalLimit: 2 });
    await sim.control("POST /snapshots", { name: "before" });
    await sim.control("POST /reset");
    await sim.control("POST /snapshots/before/restore");
    for (const _ of [1, 2, 3]) await sim.api("GET /api/webhooks/");
    const { code, out, err } = await run(["record", "--url", sim.url, "--as", "replay"]);
    const notes = [
      "the first 1 calls are no longer kept: raise --journal-limit\n",
      "POST /snapshots/before/restore restored a state from before the recording: left out\n",
    ];
    expect([code, err]).toEqual([0, notes.join("")]);
    expect(out).toContain(notes.map((note) => `# Note: ${note}`).join(""));
  });
});

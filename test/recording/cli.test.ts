/** The command `record`, as somebody types it. */
import { describe, expect, it } from "vitest";
import { refused, run } from "../cli/terminal.js";
import { startSimulator } from "../support/simulator.js";

describe("messaging-sim record", () => {
  it("finds the simulator and its sandbox, or says what it cannot use", async () => {
    const { url } = await startSimulator({ controlToken: "open-up" });
    const env = { MESSAGING_SIM_CONTROL_TOKEN: "open-up", MESSAGING_SIM_URL: new URL(url).host };
    const idle = await run(["record"], env);
    expect(idle).toEqual(
      refused("nothing has happened in sandbox default since its start: there is nothing to record"),
    );
    await run(["say", "9001", "Hello"], env);
    const recorded = await run(["record"], env);
    expect(recorded).toMatchObject({ code: 0, err: "", out: expect.not.stringContaining("open-up") });
    expect(await run(["record", "--control-token", "wrong"], env)).toEqual(refused("401"));
    expect(await run(["record", "--sandbox", "none"], env)).toEqual(refused('there is no sandbox "none"'));
  });

  it("notes in the scenario and beside it what is not in it", async () => {
    const sim = await startSimulator({ journalLimit: 3 });
    await sim.control("POST /snapshots", { name: "before" });
    await sim.control("POST /reset");
    await sim.control("POST /snapshots/before/restore");
    for (const _ of [1, 2, 3, 4]) await sim.api("GET /api/webhooks/");
    await sim.control("PATCH /data/webhooks/1", { url: "sink:other" });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    const { code, out, err } = await run(["record", "--url", sim.url]);
    const notes = [
      "the first 1 calls are no longer kept: raise --journal-limit\n",
      "POST /snapshots/before/restore: left out, because it restored a state from before the recording\n",
      "the address in PATCH /data/webhooks/1: left out, because the run has its own webhooks (--hook)\n",
      "r2 GET /api/webhooks/: left out, because the run has its own webhooks (--hook)\n",
      "r3 GET /api/webhooks/: left out, because the run has its own webhooks (--hook)\n",
      "r4 GET /api/webhooks/: left out, because the run has its own webhooks (--hook)\n",
    ];
    expect([code, err]).toEqual([0, notes.join("")]);
    expect(out).toContain(notes.map((note) => `# Note: ${note}`).join(""));
  });
});

/** `messaging-sim coverage`, and `run --coverage`. */
import { readFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { type Caller, type Running, startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const file = filesFor("coverage");
const send = ({ api }: Caller, customerThreadId = "9001", token = "acme-token") =>
  api("POST /api/send-message-to-customer-thread", { customerThreadId, text: "Hello" }, { token });

/** A simulator with one message sent. */
let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
  await send(sim);
});

const coverage = (...words: string[]) => run(["coverage", "--url", sim.url, ...words]);

it("prints rows that were met, and the section of those that were not", async () => {
  const { code, out } = await coverage();
  expect(code).toBe(0);
  expect(out).toMatch(/✓ 200 success +1 time$/m);
  expect(out).toMatch(/✗ 404 threads\.notFound +never seen, see "Errors/);
  expect(out).toMatch(/\nnot used:\n(?: {2}\w.*\n)* {2}getCustomerProfile: 0 of \d+\n/);
  expect(out).not.toMatch(/✗ transfer|✗ message \(.*legacy/);
  const [, used = ""] = /^sendMessageToCustomerThread: 1 of (\d+)$/m.exec(out) ?? [];
  // The outcomes of the operation, and the three causes of a message event.
  const total = Number(used) + 3;
  const percent = ((100 * 2) / total).toFixed(1);
  expect(out).toContain(`coverage: 2 of ${total} outcomes handled of what is used, ${percent} %\n`);
});

it("shows all sandboxes, or one", async () => {
  await sim.control("POST /sandboxes", { id: "own" });
  await send(sim, "404", "own.acme-token");
  const met = async (...words: string[]) => /coverage: (\d+) of/.exec((await coverage(...words)).out)?.[1];
  const own = ["--sandbox", "own"];
  expect([await met(), await met(...own), await met("--sandbox", "default")]).toEqual(["3", "1", "2"]);
  expect((await coverage("--sandbox", "none")).code).toBe(2);
});

it("ends with exit code 1 below --min", async () => {
  expect((await coverage("--min", "1")).code).toBe(0);
  const err = expect.stringMatching(/2 of \d+ .*less than 80 %/);
  expect(await coverage("--min", "80")).toMatchObject({ code: 1, err });
});

it("chooses the reporter by the file extension", async () => {
  const path = file("report.md", "");
  expect((await coverage("--out", path)).code).toBe(0);
  expect(readFileSync(path, "utf8")).toContain("## sendMessageToCustomerThread: 1 of");
});

it("reports on a run, on its own simulator or another, whose earlier calls do not count", async () => {
  const scenario = file("one.yaml", 'thread: "9001"\nsteps:\n  - customer: Hello\n  - delivered: message\n');
  const path = file("run.json", "");
  const met = async (...words: string[]) => {
    const { code, out } = await run(["run", `--coverage=${path}`, scenario, ...words]);
    return [code, JSON.parse(readFileSync(path, "utf8")).met, out];
  };
  const shown = expect.stringMatching(/✓ message \(customer\) +2 times/);
  expect(await met(scenario)).toEqual([0, 1, shown]);
  expect(await met("--url", sim.url, "--sandbox", "default")).toMatchObject([0, 1, {}]);
  // What follows is no file of its own.
  expect(await run(["run", scenario, "--coverage", scenario])).toMatchObject({ code: 0, out: shown });
  expect((await run(["run", scenario, "--min", "50"])).code).toBe(1);
});

it("names the file that cannot be written", async () => {
  const path = `${file("folder.md", "")}/none/report.md`;
  expect(await coverage("--out", path)).toEqual(refused(`--out: cannot write the report to ${path}: `));
});

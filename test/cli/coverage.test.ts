/** `messaging-sim coverage`, and `run --coverage`. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { run as runWords } from "./terminal.js";

const file = filesFor("coverage");
const run = (...words: string[]) => runWords(words);
const SEND = "POST /api/send-message-to-customer-thread";

/** A simulator with one message sent. */
async function used() {
  const sim = await startSimulator();
  await sim.api(SEND, { customerThreadId: "9001", text: "Hello" });
  return sim;
}

it("prints rows that were met, and the section of those that were not", async () => {
  const sim = await used();
  const { code, out } = await run("coverage", "--url", sim.url);
  expect(code).toBe(0);
  expect(out).toMatch(/✓ 200 success +1 time$/m);
  expect(out).toMatch(/✗ 404 threads\.notFound +never, see "Errors/);
  expect(out).toContain("getCustomerProfile: 0 of");
  expect(out).toMatch(/coverage: 2 of \d+ outcomes met, \d\.\d %/);
});

it("shows all sandboxes, or one", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "own" });
  await sim.api(SEND, { customerThreadId: "9001", text: "Hello" }, { token: "own.acme-token" });
  const summary = async (...words: string[]) =>
    /coverage: (\d+) of/.exec((await run("coverage", "--url", sim.url, ...words)).out)?.[1];
  expect([await summary(), await summary("--sandbox", "own"), await summary("--sandbox", "default")]).toEqual(
    ["2", "2", "0"],
  );
  expect(await run("coverage", "--url", sim.url, "--sandbox", "none")).toMatchObject({ code: 2 });
});

it("ends with exit code 1 below --min, and refuses an invalid --min", async () => {
  const sim = await used();
  expect((await run("coverage", "--url", sim.url, "--min", "1")).code).toBe(0);
  const short = await run("coverage", "--url", sim.url, "--min", "80");
  expect(short).toMatchObject({ code: 1, err: expect.stringMatching(/2 of \d+ .*less than 80 %/) });
  expect(await run("coverage", "--url", sim.url, "--min", "101")).toMatchObject({
    code: 2,
    err: expect.stringContaining("must be a number from 0 to 100"),
  });
});

it("adds up the reports of several jobs", async () => {
  const files: string[] = [];
  for (const body of [
    { customerThreadId: "9001", text: "Hello" },
    { customerThreadId: "404", text: "Hello" },
  ]) {
    const sim = await startSimulator();
    await sim.api(SEND, body);
    const path = file(`${files.length}.json`, "");
    expect((await run("coverage", "--url", sim.url, "--out", path)).code).toBe(0);
    files.push(path);
  }
  const { code, out } = await run("coverage", ...files, files[0]!, "--reporter", "json");
  expect(code).toBe(0);
  const report = JSON.parse(out);
  const { outcomes } = report.operations.find(
    ({ operation }: { operation: string }) => operation === "sendMessageToCustomerThread",
  );
  const rows = outcomes.filter(({ met }: { met: number }) => met > 0);
  expect(rows).toEqual([
    expect.objectContaining({ outcome: "success", met: 2 }),
    expect.objectContaining({ outcome: "threads.notFound", met: 1 }),
  ]);
  for (const row of rows) expect(row).not.toHaveProperty("snippet");
  expect(report.met).toBe(3);
  const [one] = files.map((path) => JSON.parse(readFileSync(path, "utf8")));
  expect(report.total).toBe(one.total);
});

it.each([
  ["nothing.json", undefined, "cannot be read: there is no such file"],
  ["text.json", "{", "text.json:1"],
  ["other.json", '{"met":1}', "total"],
  ["odd.json", '{"met":1,"total":"x","operations":[],"events":[],"behaviours":[]}', "total"],
])("refuses %s with its place", async (name, text, message) => {
  const path = text === undefined ? name : file(name, text);
  const { code, out, err } = await run("coverage", path);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
});

it("refuses all unusable files at once", async () => {
  const { err } = await run("coverage", file("odd.json", '{"met":1}'), "none.json", file("text.json", "{"));
  for (const place of ["odd.json:1:1  total", "none.json  cannot be read", "text.json:1"])
    expect(err).toContain(place);
});

it.each([
  ["md", "## sendMessageToCustomerThread: 1 of"],
  ["html", "<h2>sendMessageToCustomerThread</h2>"],
])("chooses the reporter by the file extension: %s", async (extension, line) => {
  const sim = await used();
  const path = file(`report.${extension}`, "");
  expect((await run("coverage", "--url", sim.url, "--out", path)).code).toBe(0);
  expect(readFileSync(path, "utf8")).toContain(line);
});

it("reports on a run, on its own simulator or another", async () => {
  const scenario = file(
    "one.yaml",
    'name: One\nthread: "9001"\nsteps:\n  - customer: Hello\n  - delivered: message\n',
  );
  const path = file("run.json", "");
  const own = await run("run", scenario, scenario, "--coverage", "--coverage-out", path);
  expect(own.code).toBe(0);
  expect(own.out).toMatch(/✓ message \(customer\) +2 times/);
  expect(JSON.parse(readFileSync(path, "utf8")).met).toBe(1);
  const sim = await used();
  const shared = await run("run", scenario, "--url", sim.url, "--sandbox", "default", "--coverage-out", path);
  expect(shared.code).toBe(0);
  // Earlier calls do not count.
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ met: 1 });
  expect((await run("run", scenario, "--min", "50")).code).toBe(1);
});

it("names the file that cannot be written", async () => {
  const sim = await used();
  const path = `${file("folder.md", "")}/none/report.md`;
  const { code, out, err } = await run("coverage", "--url", sim.url, "--out", path);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(`--out: cannot write the report to ${path}: `);
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();

/** Runs a command line that the page gives, and resolves with the status of the answer. */
async function statusOf(command: string): Promise<number> {
  const line = `${command} -s -o /dev/null -w '%{http_code}'`;
  return Number((await promisify(execFile)("sh", ["-c", line])).stdout);
}

const commandIn = async (place: Locator): Promise<string> => {
  const command = place.locator(".command pre");
  await seen(command);
  return command.innerText();
};

const EMPTY_TABS = ["requests", "deliveries", "warnings", "faults"];

test.each(["9001", "9002", "9004", "9005"])(
  "what an empty tab says to enter works, whatever thread %s is like",
  async (thread) => {
    const sim = await startSimulator();
    await sim.control("POST /threads/9001/window", { open: false });
    await sim.control("PUT /sandboxes/beside");
    await sim.control("POST /sandboxes/beside/threads/9001/window", { open: false });
    for (const tab of EMPTY_TABS) {
      const page = await open(sim, { search: `?sandbox=beside&thread=${thread}&tab=${tab}` });
      const status = await statusOf(await commandIn(page.getByRole("tabpanel")));
      expect([200, 201], `${tab} ${status}`).toContain(status);
      await page.context().close();
    }
  },
);

test("where there is no thread yet, the command makes one, or none is given", async () => {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  await sim.control("PUT /state", { ...state, threads: [], messages: [] });
  const page = await open(sim);
  const list = page.getByRole("navigation", { name: "Threads" });
  expect(await page.getByRole("tabpanel").locator(".command").count()).toBe(0);
  expect(await statusOf(await commandIn(list))).toBe(201);
  await seen(list.getByRole("link").first());
});

test("the curl of a delivery names each header once, and reaches a sink", async () => {
  const sim = await startSimulator();
  const page = await open(sim, {
    search: "?thread=9001&tab=deliveries&item=d1",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await seen(page.getByText("Live", { exact: true }));
  await sim.control("POST /threads/9001/inbound", { text: "It's me: $HOME `id`" });
  await sim.control("POST /wait", { for: "idle" });
  const { body: before } = await sim.control("GET /deliveries");
  const [{ url }] = before;
  expect(url).toMatch(/^sink:/);
  const received = `GET /sinks/${url.slice("sink:".length)}/received`;
  const { body: earlier } = await sim.control(received);
  await page.getByRole("row").getByRole("button", { name: "Copy curl" }).click();
  await seen(page.getByText("Curl copied"));
  const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
  const names = [...command.matchAll(/-H '([^:]+):/g)].map(([, name]) => name?.toLowerCase());
  expect(names).toContain("content-type");
  expect(new Set(names).size).toBe(names.length);
  expect(await statusOf(command)).toBe(200);
  const { body: later } = await sim.control(received);
  expect(later.length).toBe(earlier.length + 1);
  expect(later.at(-1).body).toEqual(earlier.at(-1).body);
});

test("how many calls there were in five minutes stays when the clock is moved", async () => {
  const sim = await startSimulator();
  const call = () => sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  for (let count = 0; count < 3; count += 1) await call();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText(/^3 in 5 min/));
  await sim.control("POST /clock/advance", { by: "25h" });
  await call();
  await seen(page.getByText(/^4 in 5 min/));
});

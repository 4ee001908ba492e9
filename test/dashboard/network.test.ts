import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("the first view of 5,000 threads waits for the threads in sight only", async () => {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  const [thread] = state.threads;
  const many = Array.from({ length: 5_000 }, (_, at) => ({ ...thread, id: String(20_001 + at) }));
  const last = { ...state.customers[0], id: "cust_last", displayName: "Zoe Last" };
  many.push({ ...thread, id: "99999", customerId: "cust_last" });
  const world = {
    ...state,
    customers: [...state.customers, last],
    threads: [...state.threads, ...many],
  };
  expect((await sim.control("PUT /state", world)).status).toBe(200);
  const page = await open(sim);
  await seen(page.getByText("Live", { exact: true }));

  // What the whole page needs is held back: what is in sight is there without it.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/data\/threads$|\/behaviour$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${sim.url}/__sim/ui/?thread=99999`);
  const links = page.getByRole("navigation", { name: "Threads" }).getByRole("link");
  await seen(links.first());
  await seen(page.getByRole("heading", { name: "Zoe Last" }));
  await seen(page.getByText("5,008 threads"));
  expect(await page.getByText("Connecting", { exact: true }).count()).toBe(1);
  const searched = page.getByRole("searchbox", { name: "Search threads" });
  release();
  await seen(page.getByText("Live", { exact: true }));
  await searched.fill("zoe");
  await expect.poll(() => links.count()).toBe(1);
  await gone(page.getByText("Connecting", { exact: true }));
});

test("what the first view needs of the program is at most 60 kB", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  const sizes = (await page.evaluate(
    `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).map((one) => one.encodedBodySize)`,
  )) as number[];
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000);
});

test("each tab loads its part of the program when it is shown, and says where that fails", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", tolerate: /Failed to load/ });
  await seen(page.getByText("Nobody has called yet"));
  await page.route(/faults-panel/, (route) => route.abort());
  await page.getByRole("tab", { name: "Faults" }).click();
  await seen(page.getByText("The page could not load the faults: load the page again."));
  await page.getByRole("tab", { name: "Behaviour" }).click();
  await seen(page.getByRole("button", { name: "Edit window.duration" }));
});

import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("arrow keys choose a status, Enter sets it, and Escape goes back", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  const status = page.getByRole("combobox", { name: "Status" });
  const statusNow = async () => (await sim.control("GET /data/threads/9001")).body.status;
  await status.focus();
  await page.keyboard.press("ArrowDown");
  expect(await status.inputValue()).toBe("replied");
  await seen(page.getByRole("button", { name: "Set status" }));
  await page.keyboard.press("Escape");
  expect(await status.inputValue()).toBe("waiting");
  await gone(page.getByRole("button", { name: "Set status" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await statusNow()).toBe("waiting");
  await page.keyboard.press("Enter");
  await seen(page.getByRole("link", { name: /Alan Johnson.*resolved/ }));
  expect(await statusNow()).toBe("resolved");
  await seen(status.and(page.locator(":focus")));
  // The thread passed by `replied` without being told.
  const { body: controls } = await sim.control("GET /controls");
  expect(controls.map(({ body }: { body: unknown }) => body)).toEqual([{ status: "resolved" }]);
});

test("a transfer by keyboard waits for its button, and the focus stays", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  const picker = page.getByRole("combobox", { name: "Transfer to" });
  await picker.focus();
  await page.keyboard.press("ArrowDown");
  await seen(page.getByRole("button", { name: "Transfer", exact: true }));
  await page.keyboard.press("Tab");
  expect((await sim.control("GET /deliveries")).body).toEqual([]);
  await page.keyboard.press("Enter");
  await seen(page.getByText("WHATSAPP · Acme Lyon · thread 9001"));
  await seen(picker.and(page.locator(":focus")));
  expect(await picker.inputValue()).toBe("");
});

test("a sandbox by keyboard waits for Enter, and the focus stays", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/beside");
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  const picker = page.getByRole("combobox", { name: "Sandbox" });
  await picker.focus();
  await page.keyboard.press("ArrowDown");
  await seen(page.getByRole("button", { name: "Open sandbox" }));
  expect(new URL(page.url()).searchParams.get("thread")).toBe("9001");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sandbox=beside/);
  await seen(page.getByText("Choose a thread"));
  await seen(picker.and(page.locator(":focus")));
});

test("what is picked from the list with a pointer is a decision", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  await page.getByRole("combobox", { name: "Status" }).selectOption("resolved");
  await seen(page.getByRole("link", { name: /Alan Johnson.*resolved/ }));
});

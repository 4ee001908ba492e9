import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();
const SEND = "POST /api/send-message-to-customer-thread";

test("a call is changed and sent again, as the integration and as somebody else", async () => {
  const sim = await startSimulator();
  await sim.api(SEND, { customerThreadId: "9001", text: "First" });
  const page = await open(sim, { search: "?thread=9001&tab=requests&item=r1", tolerate: /40[01]/ });
  const again = () => page.getByRole("button", { name: "Send again", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send again" });
  await again();
  await dialog.getByLabel("Body").fill('{ "customerThreadId": "9001", "text": "Second" }');
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await dialog.getByLabel("Headers").fill("no header");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await seen(dialog.getByText("This is no header: no header"));
  await dialog.getByLabel("Headers").fill("content-type: application/json\nX-Mine: 1");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/item=r2/);
  await gone(dialog);
  await seen(page.getByRole("article").filter({ hasText: "Second" }));

  await again();
  await dialog.getByLabel("Token").fill("nobody");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/item=r3/);
  await again();
  await dialog.getByLabel("Method").selectOption("GET");
  await dialog.getByLabel("Path").fill("/api/get-customer-thread-details?customerThreadId=9101");
  await dialog.getByLabel("Token").fill("globex-token");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/item=r4/);
  const { body: requests } = await sim.control("GET /requests");
  expect(requests).toMatchObject([
    { by: "client", token: "acme-token", status: 200 },
    { by: "client", token: "acme-token", status: 200, headers: { "x-mine": "1" }, body: { text: "Second" } },
    { token: "nobody", status: 401 },
    { method: "GET", token: "globex-token", query: { customerThreadId: "9101" }, body: null, status: 200 },
  ]);
});

test("a delivery's payload is changed and replayed", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries&item=d1" });
  await page.getByRole("button", { name: "Change and send" }).click();
  const dialog = page.getByRole("dialog", { name: "Change and send" });
  const payload = dialog.getByRole("textbox", { name: "Payload" });
  expect(await violationsOf(page, "dialog")).toEqual([]);
  const text = await payload.inputValue();
  await payload.fill(text.slice(1));
  await dialog.getByRole("button", { name: "Send changed" }).click();
  await seen(dialog.getByRole("alert"));
  await payload.fill(text.replace('"Hello"', '"Changed"'));
  await dialog.getByRole("button", { name: "Send changed" }).click();
  await page.waitForURL(/item=d2/);
  const { body: received } = await sim.control("GET /sinks/demo/received");
  expect(received.map(({ body }: { body: { data: object } }) => body.data)).toMatchObject([
    { messageBody: "Hello" },
    { messageBody: "Changed" },
  ]);
});

test("payloads fold by keyboard, and show what changed against the one before", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  for (const text of ["First", "Second"]) await sim.control("POST /threads/9001/inbound", { text });
  await sim.control("POST /wait", { for: "idle" });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries&item=d2", colorScheme: "dark" });
  const payload = page.getByRole("figure").filter({ hasText: "Payload" });
  await seen(payload.getByText('"messageBody": "Second"'));
  await payload.getByText("2 changed since d1").click();
  const change = payload.getByRole("listitem").filter({ hasText: "messageBody" });
  expect(await change.innerText()).toBe("data/messageBody First → Second");
  expect(await violationsOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await violationsOf(page)).toEqual([]);
  const fold = payload.getByRole("button", { name: "Fold data" });
  await fold.focus();
  await page.keyboard.press("Enter");
  await gone(payload.getByText('"messageBody": "Second"'));
  expect(await fold.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Space");
  await seen(payload.getByText('"messageBody": "Second"'));
});

test("deliveries are held back, and go one after the other", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Before" });
  await sim.control("POST /wait", { for: "idle" });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries" });
  await page.getByRole("button", { name: "Hold deliveries" }).click();
  await seen(page.getByText("0 deliveries held back"));
  for (const text of ["One", "Two", "Three"]) await sim.control("POST /threads/9001/inbound", { text });
  await seen(page.getByText("3 deliveries held back"));
  await seen(
    page
      .getByRole("log")
      .getByRole("button", { name: /^webhook held back by fault f1/ })
      .first(),
  );
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Release next" }).click();
  await seen(page.getByText("2 deliveries held back"));
  const third = page.getByRole("row").filter({ hasText: "message" }).first();
  await third.getByRole("button", { name: "Release", exact: true }).click();
  await seen(page.getByText("1 delivery held back"));
  await page.getByRole("button", { name: "Stop holding" }).click();
  await seen(page.getByRole("button", { name: "Hold deliveries" }));
  await sim.control("POST /wait", { for: "idle" });
  const { body } = await sim.control("GET /sinks/demo/received");
  const texts = body.map((one: { body: { data: { messageBody: string } } }) => one.body.data.messageBody);
  expect(texts).toEqual(["Before", "One", "Three", "Two"]);
});

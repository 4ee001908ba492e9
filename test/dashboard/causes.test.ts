import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("calls that come at once show each what they changed themselves", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=requests" });
  await seen(page.getByText("Live", { exact: true }));
  const threads = ["9001", "9002", "9003"];
  const resolve = (thread: string) =>
    sim.api("POST /api/update-thread-status", { customerThreadId: thread, status: "resolved" });
  await Promise.all(threads.map(resolve));
  const { body: requests } = await sim.control("GET /requests");
  await seen(page.getByText("3 entries"));
  const rows = page.getByRole("tabpanel").getByRole("row");
  for (const [at, { id, body }] of requests.toReversed().entries()) {
    await rows.nth(at).getByRole("button").first().click();
    await page.waitForURL(new RegExp(`item=${id}`));
    const changed = rows.nth(at).getByRole("region", { name: "What changed" });
    await seen(changed.getByText(`thread ${body.customerThreadId}`));
    expect(await changed.getByRole("listitem").count()).toBe(1);
  }
});

test("a call stands before the message that it wrote, not before one with the same text", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  const { body: webhooks } = await sim.control("GET /data/webhooks");
  for (const { id } of webhooks) await sim.control(`DELETE /data/webhooks/${id}`);
  const page = await open(sim, { search: "?thread=9003" });
  await seen(page.getByText("Live", { exact: true }));
  await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9003", text: "Twice" });
  await sim.control("POST /threads/9003/employee-message", { userId: "501", text: "Twice" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(log.getByRole("article").filter({ hasText: "Twice" }).nth(1));
  const items = await log.getByRole("article").or(log.getByRole("listitem")).allInnerTexts();
  const kinds = items
    .slice(-3)
    .map((text) => (text.includes("Twice") ? "message" : text.replace(/ in .*/s, "")));
  expect(kinds).toEqual(["your call 200", "message", "message"]);
});

test("a call of before the page was opened stands before the message that its delivery names", async () => {
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
  await sim.control("POST /threads/9001/inbound", { text: "First" });
  await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: "9001", text: "Second" });
  await sim.control("POST /threads/9001/inbound", { text: "Third" });
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  const afterCall = async () => {
    const items = await log.getByRole("article").or(log.getByRole("listitem")).allInnerTexts();
    return items[items.findIndex((text) => text.startsWith("your call 200")) + 1];
  };
  // Messages, calls and deliveries are read one after the other.
  await expect.poll(afterCall).toContain("Second");
});

test("a row that is looked at stays where it is while new ones come in", async () => {
  const sim = await startSimulator();
  const call = () => sim.api("GET /api/get-customer-thread-details?customerThreadId=9001");
  for (let count = 0; count < 100; count += 1) await call();
  const page = await open(sim, { search: "?thread=9001&tab=requests&item=r40" });
  const row = page.getByRole("row").filter({ hasText: "Outcome" });
  await seen(row);
  const before = await row.boundingBox();
  await call();
  await seen(page.getByText("101 entries"));
  expect((await row.boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
});

import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("status, transfer, faults and behaviour are changed from the page", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001", tolerate: /400/ });
  await page.getByRole("combobox", { name: "Status" }).selectOption("resolved");
  await seen(page.getByRole("link", { name: /Alan Johnson.*resolved/ }));
  await page.getByRole("combobox", { name: "Transfer to" }).selectOption({ label: "Acme Lyon" });
  await seen(page.getByText("WHATSAPP · Acme Lyon · thread 9001"));
  const { body: thread } = await sim.control("GET /data/threads/9001");
  expect(thread).toMatchObject({ status: "resolved", businessId: "1002" });

  await page.getByRole("tab", { name: "Faults" }).click();
  await page.getByRole("button", { name: /^rate-limited/ }).click();
  await seen(page.getByRole("button", { name: "Disarm f1" }));
  const refused = await fetch(`${sim.url}/api/get-customer-thread-details?customerThreadId=9001`);
  expect(refused.status).toBe(429);
  await seen(page.getByText("fired 1 · seen 1"));
  await page.getByRole("button", { name: "Disarm f1" }).click();
  await seen(page.getByText("Nothing is armed"));

  await page.getByRole("tab", { name: "Behaviour" }).click();
  await page.getByRole("button", { name: "Edit window.duration" }).click();
  const value = page.getByRole("textbox", { name: "window.duration" });
  await value.fill("soon");
  await page.getByRole("button", { name: "Save window.duration" }).click();
  await seen(page.getByRole("alert").filter({ hasText: "window.duration" }));
  await value.fill("24h");
  await page.getByRole("button", { name: "Save window.duration" }).click();
  await seen(page.getByRole("button", { name: "Default of window.duration" }));
  await sim.control("POST /threads/9001/inbound", { text: "Opens it" });
  await seen(page.getByText(/Closes in 2\d h/));
});

test("a delivery that is held back looks other than a failed one and names the option", async () => {
  const sim = await startSimulator();
  await sim.api("POST /api/webhooks/", { url: "https://bot.example/hook", subscribedEvents: ["messages"] });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  const page = await open(sim, { search: "?thread=9001" });
  await page.getByRole("button", { name: /^webhook held back/ }).click();
  await seen(page.getByText("Held back, not failed."));
  await seen(page.getByText("--allow-outbound bot.example", { exact: true }));
});

test("a message is saved as a scenario and replayed", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9005/inbound", { text: "One more thing" });
  const page = await open(sim, { search: "?thread=9005" });
  const article = page.getByRole("article").filter({ hasText: "One more thing" }).last();
  await article.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("button", { name: "Save as scenario…" }).click();
  const scenario = await page.getByRole("textbox", { name: "Scenario" }).inputValue();
  expect(scenario).toContain('thread: "9005"');
  expect(scenario).toContain('- customer: "One more thing"');
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await article.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("button", { name: "Replay from here" }).click();
  await seen(page.getByText("Replayed: 1 written again from here"));
  await seen(page.getByRole("article").filter({ hasText: "One more thing" }).nth(1));
});

test("5,000 threads: few are in the page, all are found", async () => {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  const [thread] = state.threads;
  const many = Array.from({ length: 5_000 }, (_, at) => ({ ...thread, id: String(20_001 + at) }));
  const last = { ...state.customers[0], id: "cust_last", displayName: "Zoe Last" };
  many.push({ ...thread, id: "99999", customerId: "cust_last" });
  expect(
    (
      await sim.control("PUT /state", {
        ...state,
        customers: [...state.customers, last],
        threads: many,
        messages: [],
      })
    ).status,
  ).toBe(200);
  const page = await open(sim);
  await seen(page.getByText("5,001 threads"));
  const links = page.getByRole("navigation", { name: "Threads" }).getByRole("link");
  expect(await links.count()).toBeLessThan(60);
  await page.getByRole("searchbox", { name: "Search threads" }).fill("zoe");
  await links.first().click();
  await page.waitForURL(/thread=99999/);
});

test("a scenario runs and shows its steps", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001&tab=scenarios" });
  await page.getByRole("button", { name: "Run message-event" }).click();
  await seen(page.getByRole("list", { name: /^Steps of/ }));
  await seen(page.getByRole("tabpanel").getByText("passed", { exact: true }).first());
  const steps = page.getByRole("list", { name: /^Steps of/ }).getByRole("listitem");
  expect(await steps.count()).toBeGreaterThan(1);
});

test("10,000 messages: the newest are shown, few are in the page, the first can be reached", async () => {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  const [first] = state.messages;
  const messages = Array.from({ length: 10_000 }, (_, at) => ({
    ...first,
    id: String(1_000_001 + at),
    text: `Number ${at + 1}`,
    timestamp: first.timestamp + at * 1_000,
  }));
  expect((await sim.control("PUT /state", { ...state, messages })).status).toBe(200);
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(log.getByText("Number 10000", { exact: true }));
  expect(await log.getByRole("article").count()).toBeLessThan(60);
  await log.focus();
  await page.keyboard.press("Home");
  await seen(log.getByText("Number 1", { exact: true }));
  await sim.control("POST /threads/9001/inbound", { text: "Seen from above" });
  await seen(page.getByRole("link", { name: /Alan Johnson.*Seen from above/ }));
  await seen(log.getByText("Number 1", { exact: true }));
});

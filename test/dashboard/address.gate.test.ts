// Slow: a browser, and 5,000 threads.
import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, live, open, says, seen, visit, warns } from "./browser.js";
import { idle, inbound, READ, read, reply, startBot } from "./calls.js";
import { box, field, linkOf, links, panelOf, picker, rows, search } from "./page.js";
import { fillIn, focused, press, showTab } from "./user.js";

test("sandbox, thread, tab and each tab's filter stand in the address; drafts stay with their thread", async () => {
  const { sim, page } = await visit();
  await sim.control("PUT /sandboxes/left");
  const token = "left.acme-token";
  await sim.api(READ, undefined, { token });
  const refused = await sim.api(READ.replace("9001", "77777"), undefined, { token });
  await page.goto(`${sim.url}/__sim/ui/?sandbox=left&thread=9001&tab=requests`);
  const filter = search(page, "Filter requests");
  const shows = (count: number) => expect.poll(() => rows(page).count()).toBe(count);
  await shows(2);
  await filter.fill(JSON.stringify(refused.body).slice(1, -1));
  await shows(1);
  await filter.fill("ACME-token");
  await shows(2);
  await box(page, "This thread").check();
  await shows(1);
  await showTab(page, "Behaviour");
  const behaviour = search(page, "Filter behaviour");
  expect(await behaviour.inputValue()).toBe("");
  await behaviour.fill("window.duration");
  await search(page, "Search threads").fill("alan");
  await picker(page, "Show").selectOption("waiting");
  await expect.poll(() => links(page).count()).toBe(1);
  await showTab(page, "Requests");
  await expect.poll(() => filter.inputValue()).toBe("ACME-token");

  // The address alone brings all of it back.
  await page.goto(page.url());
  await shows(1);
  expect(await filter.inputValue()).toBe("ACME-token");
  expect(await box(page, "This thread").isChecked()).toBe(true);
  expect(await links(page).count()).toBe(1);
  await showTab(page, "Behaviour");
  expect(await behaviour.inputValue()).toBe("window.duration");

  await page.goto(`${sim.url}/__sim/ui/?sandbox=left&thread=9001`);
  // What is not sent yet stays with its thread.
  const customer = field(page, "Write as the customer");
  const holds = (text: string) => expect.poll(() => customer.inputValue()).toBe(text);
  await fillIn(page, { "Write as the customer": "For Alan", "Write as an employee": "By Ana" });
  await linkOf(page, /Maria Lopez/).click();
  await holds("");
  await customer.fill("For Maria");
  await linkOf(page, /Alan Johnson/).click();
  await holds("For Alan");
  expect(await field(page, "Write as an employee").inputValue()).toBe("By Ana");
  await linkOf(page, /Maria Lopez/).click();
  await holds("For Maria");
});

test("an address of a sandbox that is gone, or of an entry of an earlier run, says so and leads back", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?sandbox=nope", tolerate: /404/ });
  await warns(page, "There is no sandbox nope");
  await press(page, "Go to default");
  await linkOf(page, /Alan Johnson/).click();
  await gone(page.getByRole("alert"));
  await reply(sim, "Before");
  const outcome = rows(page).getByText("Outcome");
  await rows(page).first().click();
  await page.waitForURL(/item=r1&run=\d+/);
  await seen(outcome);
  await sim.control("POST /reset");
  await says(page, "r1 is from before the last reset.");
  await reply(sim, "After");
  await seen(rows(page).first());
  await gone(outcome);
  await rows(page).first().click();
  await seen(outcome);
  await gone(page.getByText("r1 is of an earlier run"));
  await page.goto(`${sim.url}/__sim/ui/?thread=9001&tab=requests&item=r77`);
  await says(page, "r77 is not in this log.");
});

test("of 5,000 threads few are in the page, and all are found", async () => {
  const { sim, page } = await visit();
  const state = await read(sim, "/state");
  const [thread] = state.threads;
  for (let id = 20_001; id <= 25_000; id += 1) state.threads.push({ ...thread, id: String(id) });
  state.customers.push({ ...state.customers[0], id: "cust_last", displayName: "Zoe Last" });
  state.threads.push({ ...thread, id: "99999", customerId: "cust_last" });
  expect((await sim.control("PUT /state", state)).status).toBe(200);

  await page.goto(`${sim.url}/__sim/ui/?thread=99999`);
  await seen(page.getByRole("heading", { name: "Zoe Last" }));
  await says(page, "5,008 threads");
  await live(page);
  expect(await links(page).count()).toBeLessThan(60);
  const current = links(page).and(page.locator("[aria-current=page]"));
  await seen(current);
  await current.focus();
  await page.keyboard.press("Home");
  await gone(current);
  await focused(page.locator(".threads .windowed"));
  await search(page, "Search threads").fill("zoe");
  await expect.poll(() => links(page).count()).toBe(1);
  await links(page).first().click();
  await page.waitForURL(/thread=99999/);
});

test("words find calls in their log and messages in the list of threads, which leads to them", async () => {
  const { sim, page } = await visit("?thread=9001&tab=requests");
  const bot = await startBot(sim);
  bot.status = 500;
  await inbound(sim, "Where is my zebra?", "9003");
  await inbound(sim, "Hello?", "9003");
  await reply(sim, "The zebra is late");
  await reply(sim, "The zebra is lost", "no-thread");
  await idle(sim);
  await says(page, "3 entries");
  await search(page, "Filter requests").fill("zebra LOST");
  await says(panelOf(page), "1 entry");
  await picker(page, "Show").selectOption({ label: "needs attention" });
  await seen(linkOf(page, /Priya Nair/));
  await gone(linkOf(page, /Maria Lopez/));
  await expect.poll(() => links(page).count()).toBe(2);
  await picker(page, "Show").selectOption({ label: "any status" });

  await search(page, "Search threads").fill("My Zebra");
  await expect.poll(() => links(page).count()).toBe(1);
  await linkOf(page, /Priya Nair.*my zebra\?/).click();
  await page.waitForURL(/thread=9003.*f\.message=\d+/);
  await seen(page.locator("article.chosen").filter({ hasText: "Where is my zebra?" }));
});

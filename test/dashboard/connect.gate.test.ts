import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { freePort } from "../support/free-port.js";
import { gone, live, says, seen, visit, warns } from "./browser.js";
import { inbound, read, startBot } from "./calls.js";
import { article, button, field, linkOf, picker } from "./page.js";
import { chip, fillIn, openConnection, openDialog, press, refused, tells, write } from "./user.js";

const FIRST_THINGS = ["First call", "First event delivered", "First reply"];
const firstThing = (page: Page, name: string, state: "done" | "not yet") =>
  seen(page.getByRole("listitem", { name: `${name}: ${state}` }));

test("the first page connects a bot, ticks each first thing live, and says why one does not come", async () => {
  const { sim, page } = await visit("", { tolerate: /400/, start: { set: { "delivery.attempts": 1 } } });
  const urlNow = async () => (await read(sim, "/data/webhooks/1")).url;
  const panel = page.getByRole("region", { name: "Connect your bot" });
  await seen(panel.getByText(sim.url, { exact: true }).first());
  await seen(panel.getByRole("listitem").filter({ hasText: "acme-token" }).first());
  await seen(button(panel, "Copy token acme-token"));
  for (const name of FIRST_THINGS) await firstThing(page, name, "not yet");
  const connect = async (url: string, ...texts: RegExp[]) => {
    await field(panel, "Webhook URL").fill(url);
    await press(panel, "Connect", ...texts);
  };
  await connect("ftp://nowhere");
  await warns(panel, "Not connected. Must be an http or https URL or sink:NAME");
  expect(await urlNow()).toBe("sink:demo");
  await connect("https://bot.example/hook", /bot\.example is not a loopback/);
  const bot = await startBot(sim);
  await connect(`http://127.0.0.1:${await freePort()}/hook`, /connection refused/);
  await inbound(sim, "Is anybody there?", "9003");
  await seen(button(panel, /^d\d: failed: connection refused/));
  await connect(bot.url, /webhooks lead to/);
  expect(await urlNow()).toBe(bot.url);
  await inbound(sim, "Is it ready?");
  for (const name of FIRST_THINGS) await firstThing(page, name, "done");

  // Progress once is known to have worked, and the panel is not shown to somebody who comes later.
  await sim.control("DELETE /requests");
  await firstThing(page, "First call", "done");
  await page.reload();
  await live(page);
  await gone(panel);
  const dialog = await openConnection(page);
  expect(await field(dialog, "Webhook URL").inputValue()).toBe(bot.url);
  await firstThing(page, "First event delivered", "done");
  for (const language of ["Node", "Python", "curl"]) {
    await picker(dialog, "Language").selectOption(language);
    await expect.poll(() => dialog.locator("figure pre").innerText()).toContain(sim.url);
  }
});

test("the head says where events go, after a reset too", async () => {
  const { sim, page } = await visit("?thread=9001");
  const bot = await startBot(sim);
  await sim.control("DELETE /data/webhooks/2");
  const { port } = new URL(bot.url);
  const connected = button(page, `Bot at 127.0.0.1:${port}`);
  await seen(connected);
  await sim.control("POST /reset");
  await gone(connected);
  await seen(button(page, "Connect your bot"));
  await write(page, "Anybody?");
  await chip(page, /^built-in receiver 200 in/);
  const view = await openConnection(page);
  await field(view, "Webhook URL").fill(port);
  await press(view, "Connect", `leads to http://127.0.0.1:${port}/`);
  await seen(connected);
  await press(view, "Close");
  await write(page, "Hello");
  await tells(page, "Your order is on its way.");
  await seen(button(page, "Last answer: 200"));
  await sim.control("POST /connect", { url: bot.url, header: "token" });
  // Once it shows what came later, the page knows of the header.
  await write(page, "Once more");
  await press(page, "Reset", `Sandbox default reset. The bot at 127.0.0.1:${port} is still connected.`);
  await seen(connected);
  await gone(article(page, "Your order is on its way."));
  const [{ extraHeaders }] = await read(sim, "/data/webhooks?secrets=show");
  expect(extraHeaders).toEqual([{ name: "token", value: "acme-token" }]);
  await write(page, "Still there?");
  await tells(page, "Your order is on its way.");
});

test("webhooks are changed, tried and removed", async () => {
  const { sim, page } = await visit("?thread=9001", { tolerate: /400/ });
  const webhook = () => read(sim, "/data/webhooks/1");
  const dialog = await openConnection(page);
  const crm = dialog.getByRole("listitem", { name: "Webhook crm" });
  await says(crm, "Receives messages and transfers. Nothing sent yet.");
  await press(crm, "Edit crm");
  const record = field(crm, "Record");
  const shown = JSON.parse(await record.inputValue());
  await record.fill(JSON.stringify({ ...shown, url: "not an address" }));
  await refused(crm, "Save", "url");
  expect((await webhook()).url).toBe("sink:demo");
  await record.fill(JSON.stringify({ ...shown, url: "sink:other", subscribedEvents: ["messages"] }));
  await press(crm, "Save", "sink:other", "Receives messages. Nothing sent yet.");
  expect(await webhook()).toMatchObject({ url: "sink:other", subscribedEvents: ["messages"] });
  await inbound(sim, "Hello");
  await says(crm, /Last: 200 in/);
  await press(crm, "Ping crm");
  await seen(crm.getByRole("status").filter({ hasText: /\w/ }));
  await crm.getByRole("switch", { name: "Enabled: crm" }).click();
  await says(crm, "Disabled: receives no events.");
  await press(crm, "Remove crm");
  await gone(crm);
  await says(page, "Webhook crm removed.");
  await press(page, "Undo", "Undone: Webhook crm removed");
  expect((await webhook()).url).toBe("sink:other");
  await seen(crm);
  const extraHeaders = [{ name: "x-secret", value: "open sesame" }];
  await sim.control("PATCH /data/webhooks/1", { extraHeaders });
  await press(crm, "Edit crm");
  await says(crm, "Left out: extraHeaders");
  await record.fill('{ "url": "sink:third" }');
  await press(crm, "Save", "sink:third");
  const { body } = await sim.control("GET /data/webhooks/1?secrets=show");
  expect(body).toMatchObject({ url: "sink:third", extraHeaders });
});

test("a conversation begins with somebody new or known; what is unusable leaves nothing behind", async () => {
  const { sim, page } = await visit("", { tolerate: /400/ });
  const before = await read(sim, "/state");
  const dialog = await openDialog(page, "New conversation");
  await refused(dialog, "Start conversation", "Enter the customer's first message.");
  await field(dialog, "First message").fill("Do you open on Sundays?");
  await refused(dialog, "Start conversation", "a name, a phone number or an e-mail address");
  await fillIn(dialog, { Name: "Ida Berg", "Phone number": "5550100" });
  await refused(dialog, "Start conversation", "phoneNumber");
  expect(await read(sim, "/state")).toEqual(before);

  await fillIn(dialog, { "Phone number": "+15550100" });
  await picker(dialog, "Channel").selectOption("SMS");
  await press(dialog, "Start conversation");
  await gone(dialog);
  await tells(page, "Do you open on Sundays?");
  await seen(page.getByRole("heading", { name: "Ida Berg" }));
  const id = new URL(page.url()).searchParams.get("thread");
  const customer = { displayName: "Ida Berg", phoneNumber: "+15550100", emailAddress: null, channel: "SMS" };
  const thread = { businessId: "1001", channel: "SMS", status: "waiting", customer };
  expect(await read(sim, `/data/threads/${id}?_embed=customer`)).toMatchObject(thread);
  expect(await read(sim, `/deliveries?threadId=${id}`)).toMatchObject([{ eventType: "message" }]);

  await openDialog(page, "New conversation");
  // What is filled in stays where it fits another business too.
  await field(dialog, "Name").fill("Ida Berg");
  await picker(dialog, "Business").selectOption("Globex London");
  expect(await field(dialog, "Name").inputValue()).toBe("Ida Berg");
  await picker(dialog, "Business").selectOption("Acme Paris");
  await dialog.getByRole("radio", { name: "Existing customer" }).check({ force: true });
  const known = picker(dialog, "Existing customer");
  const [maria] = await known.getByRole("option", { name: /^Maria Lopez/ }).allInnerTexts();
  await known.selectOption({ label: maria ?? "" });
  await picker(dialog, "Business").selectOption("Acme Lyon");
  expect(await known.locator("option:checked").innerText()).toMatch(/^Maria Lopez/);
  await field(dialog, "First message").fill("Me again");
  await press(dialog, "Start conversation");
  await gone(dialog);
  await seen(page.getByRole("heading", { name: "Maria Lopez" }));
  await seen(linkOf(page, /Maria Lopez.*Me again/).first());
  expect((await read(sim, "/data/customers")).length).toBe(before.customers.length + 1);
});

// Slow: a browser, and servers that stop, stand still and come back.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { start } from "../cli/program.js";
import { startSimulator } from "../support/simulator.js";
import { AWAY, gone, live, open, says, seen, visit, warns } from "./browser.js";
import { inbound, READ, START } from "./calls.js";
import { article, box, button, dialogOf, field, linkOf, panelOf, picker, rows, search } from "./page.js";
import { clockAt, fillIn, keys, press, showTab, tells } from "./user.js";

test("all tabs of a browser say that the server is away, and go on when it is back", async () => {
  const first = await startSimulator();
  const port = Number(new URL(first.url).port);
  const page = await open(first, { search: "?thread=9001&tab=behaviour", tolerate: AWAY });
  const other = await page.context().newPage();
  await other.goto(page.url());
  for (const tab of [page, other]) await live(tab);
  await search(page, "Filter behaviour").fill("window.duration");
  await press(page, "Edit window.duration");
  await first.close();
  for (const tab of [page, other]) await warns(tab, "does not respond");
  await says(page, "Reconnecting");
  expect(await button(page, "Send as customer").isDisabled()).toBe(true);
  await press(page, "Save window.duration");
  await warns(panelOf(page), "does not respond");

  const second = await startSimulator({ port });
  await inbound(second, "After the restart");
  // It may be back before the click.
  await button(page, "Retry now")
    .click({ noWaitAfter: true, timeout: 1_000 })
    .catch(() => {});
  for (const tab of [page, other]) {
    await live(tab);
    await tells(tab, "After the restart");
    await gone(tab.getByRole("alert"));
    await says(tab, "The simulator was restarted with a new state.");
  }
  await inbound(second, "And live again");
  for (const tab of [page, other]) await tells(tab, "And live again");
  expect(second.registry.default.streams.count).toBe(2);
});

test("a server that stands still is noticed, what was typed comes back, and a deleted sandbox is said to be deleted", async () => {
  const served = start(["serve", "--port=0"]);
  const url = await served.url();
  const shop = (method: string) => fetch(`${url}/__sim/sandboxes/shop`, { method });
  await shop("PUT");
  const page = await open({ url }, { search: "?sandbox=shop&thread=9001", tolerate: /404/ });
  await live(page);
  served.child.kill("SIGSTOP");
  const text = field(page, "Write as the customer");
  await text.fill("Do not lose me");
  await press(page, "Send as customer");
  await warns(page, "does not respond");
  await expect.poll(() => text.inputValue()).toBe("Do not lose me");
  served.child.kill("SIGCONT");
  await live(page);
  await warns(page, "did not respond in time. Check the result before you try again");
  await shop("DELETE");
  await warns(page, "Sandbox shop was deleted.");
});

test("follows what others do, in every part of the page, without a reload", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  await inbound(sim, "From elsewhere", "9003");
  await seen(linkOf(page, /Priya Nair.*From elsewhere.*1 new/));
  await sim.api("POST /api/update-thread-status", { customerThreadId: 9001, status: "resolved" });
  await seen(linkOf(page, /Alan Johnson.*resolved/));
  await says(page, "1 entry");
  await sim.control("DELETE /requests");
  await says(page, "No API calls yet");
  await showTab(page, "Warnings");
  await seen(rows(page).first());
  await sim.control("DELETE /warnings");
  await says(page, "No warnings");
  await sim.control("POST /clock/advance", { by: "90m" });
  await clockAt(page, "10:30:00");

  await showTab(page, "Faults");
  await sim.control("POST /faults", { on: "request", then: "unavailable", times: 2 });
  for (const fired of [0, 1]) {
    await seen(button(page, `1 fault armed · fired ${fired}`));
    expect((await sim.api(READ)).status).toBe(503);
  }
  await gone(button(page, /fault armed/));
  await says(panelOf(page), "No fault is armed", "used up");
  await sim.control("DELETE /faults");
  await gone(page.getByText("used up"));

  await showTab(page, "Behaviour");
  await box(page, "Changed").check();
  await says(page, "No matches.");
  await sim.control("PATCH /behaviour", { "window.duration": "7h" });
  await seen(button(page, "Default of window.duration"));

  const option = picker(page, "Sandbox").getByRole("option", { name: "fresh" });
  await sim.control("PUT /sandboxes/fresh");
  await expect.poll(() => option.count()).toBe(1);
  await sim.control("DELETE /sandboxes/fresh");
  await expect.poll(() => option.count()).toBe(0);

  await showTab(page, "Scenarios");
  await seen(button(page, "Run message-event"));
  const scenario = { name: "Ran elsewhere", thread: "9001", steps: [{ customer: "Hello" }] };
  await sim.control("POST /scenarios/run", { scenario });
  await says(panelOf(page), "Ran elsewhere");
  await sim.control("POST /reset");
  await seen(linkOf(page, /Alan Johnson.*waiting/));
  await clockAt(page, "09:00:00");
});

test("asks once for the control token, and shows the new world when the start is loaded anew", async () => {
  const sim = await startSimulator({ controlToken: "let-me-in", fixtures: "fixtures/default.json" });
  const page = await open(sim, { search: "?thread=9001", tolerate: /401/ });
  const dialog = dialogOf(page, "Control token");
  await seen(dialog);
  await keys(page, "Escape", "Escape", "Escape");
  await seen(dialog);
  await fillIn(dialog, { "Control token": "wrong" });
  await press(dialog, "Continue", "Wrong token.");
  await fillIn(dialog, { "Control token": "let-me-in" });
  await press(dialog, "Continue");
  await gone(dialog);
  await page.reload();
  await live(page);
  expect(await dialog.count()).toBe(0);

  const text = readFileSync("fixtures/default.json", "utf8").replaceAll("Alan Johnson", "Alan Kay");
  await sim.reload({ fixtures: JSON.parse(text), behaviour: "realistic" });
  await seen(linkOf(page, /Alan Kay/));
  await gone(linkOf(page, /Alan Johnson/));
});

test("markup in a message stays text, and no secret of a webhook is in the page", async () => {
  const start = { set: { "delivery.attempts": 1 } };
  const { sim, page } = await visit("?thread=9001&tab=deliveries&item=d1", { start });
  await sim.control("PATCH /data/webhooks/1", {
    url: "http://alice:PASSWORD1@127.0.0.1:9/hook?key=KEY1",
    extraHeaders: [{ name: "x-auth", value: "HEADER1" }],
  });
  const text = '<img src=x onerror="document.title=1"><b>bold</b> &amp; [link](javascript:alert(1))';
  await inbound(sim, text);
  await seen(article(page, "onerror").getByText(text, { exact: true }));
  await says(panelOf(page), "Payload", "http://alice:••••D1@127.0.0.1:9/hook?key=••••Y1", "x-auth");
  expect(await page.content()).not.toMatch(/PASSWORD1|KEY1|HEADER1/);
  expect(await page.locator("#app img, #app b:text('bold')").count()).toBe(0);
  expect(await page.title()).toBe("Alan Johnson · default · messaging-sim");
});

import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, live, open, says, seen, visit } from "./browser.js";
import { read, START } from "./calls.js";
import { article, button, DIALOGS, dialogOf, field, linkOf, MENUS, picker, search } from "./page.js";
import { clockAt, focused, keys, press, tells, write } from "./user.js";

test("everything can be done by keyboard", async () => {
  const { page } = await visit("", { start: { clock: START } });
  type Role = Parameters<typeof page.getByRole>[0];
  /** Presses Tab until the focus is on what is looked for, then types, and presses a key. */
  const at = async (role: Role, name: string | RegExp, key: string, text = "") => {
    const wanted = page.getByRole(role, { name, exact: true }).first();
    await seen(wanted);
    for (let tabs = 0; (await wanted.and(page.locator(":focus")).count()) === 0; tabs += 1) {
      expect(tabs, `Tab leads to ${role} ${name}`).toBeLessThan(120);
      await keys(page, "Tab");
    }
    await page.keyboard.type(text);
    await keys(page, key);
  };
  await at("textbox", "Advance by", "Enter", "2h");
  await clockAt(page, "11:00:00");
  await at("link", /Alan Johnson/, "Enter");
  await at("switch", "Messaging window open", "Space");
  await says(page, "Closed.");
  await at("textbox", "Write as the customer", "Enter", "By keyboard");
  await tells(page, "By keyboard");
  await at("checkbox", "Internal", "Space");
  await at("textbox", "Write as an employee", "Enter", "A note");
  await seen(article(page, "A note").getByText("internal", { exact: true }));

  await at("tab", "Requests", "ArrowRight");
  await page.waitForURL(/tab=deliveries/);
  await at("button", /d2 message to crm delivered$/, "Enter");
  await says(page, "Receiver's answer");
  await page.getByRole("tab", { name: "Deliveries", selected: true }).press("End");
  await page.waitForURL(/tab=scenarios/);
});

test("dialogs return the focus, one key leaves the list, the clock has a step of its own, and the title names the thread", async () => {
  const { page } = await visit("?thread=9001", { start: { clock: START } });
  await expect.poll(() => page.title()).toBe("Alan Johnson · default · messaging-sim");
  await write(page, "Something done");
  for (const name of Object.values(DIALOGS)) {
    const opener = button(page, MENUS[name] ?? name);
    await opener.press("Enter");
    if (MENUS[name] !== undefined) await button(page, name).press("Enter");
    await seen(page.getByRole("dialog"));
    await keys(page, "Escape");
    await gone(page.getByRole("dialog"));
    await focused(opener);
  }
  await linkOf(page, /Alan Johnson/).press("Escape");
  await focused(page.getByRole("main"));
  await press(page, "Advance", "Clock advanced by 25h.");
});

test("a status, a transfer and a sandbox that arrow keys choose wait for Enter or a button, and the focus stays", async () => {
  const sim = await startSimulator();
  await sim.control("PUT /sandboxes/beside");
  const page = await open(sim, { search: "?thread=9001" });
  await live(page);
  const status = picker(page, "Status");
  const statusNow = async () => (await read(sim, "/data/threads/9001")).status;
  await status.press("ArrowDown");
  expect(await status.inputValue()).toBe("replied");
  await seen(button(page, "Set status"));
  await keys(page, "Escape");
  await gone(button(page, "Set status"));
  expect(await status.inputValue()).toBe("waiting");
  await keys(page, "ArrowDown", "ArrowDown");
  expect(await statusNow()).toBe("waiting");
  await keys(page, "Enter");
  await seen(linkOf(page, /Alan Johnson.*resolved/));
  await focused(status);
  // The thread passed by `replied` without being told.
  expect(await read(sim, "/controls")).toMatchObject([{ body: { status: "resolved" } }]);

  const transfer = picker(page, "Transfer to");
  await transfer.press("ArrowDown");
  await seen(button(page, "Transfer"));
  await keys(page, "Tab");
  expect(await read(sim, "/deliveries")).toEqual([]);
  await keys(page, "Enter");
  await says(page, "thread 9001 · WHATSAPP · Acme Lyon");
  await focused(transfer);
  expect(await transfer.inputValue()).toBe("");

  const sandbox = picker(page, "Sandbox");
  await sandbox.press("ArrowDown");
  await seen(button(page, "Open sandbox"));
  expect(page.url()).toContain("thread=9001");
  await keys(page, "Enter");
  await page.waitForURL(/sandbox=beside/);
  await seen(page.getByRole("heading", { name: "Connect your bot" }));
  await focused(sandbox);
});

test("single keys act outside of fields, and the sheet tells which", async () => {
  const { page } = await visit("?thread=9002");
  const sheet = dialogOf(page, "Keyboard shortcuts");
  await keys(page, "?");
  await says(sheet, "search threads");
  await keys(page, "3", "Escape");
  await gone(sheet);
  expect(page.url()).not.toContain("tab=warnings");
  await keys(page, "3", "j");
  await page.waitForURL(/thread=9001.*tab=warnings|tab=warnings.*thread=9001/);
  await keys(page, "k");
  await page.waitForURL(/thread=9002/);
  // In a field keys are text.
  await keys(page, "e", "c");
  await focused(field(page, "Write as an employee"));
  expect(await field(page, "Write as an employee").inputValue()).toBe("c");
  await field(page, "Write as an employee").blur();
  await keys(page, "/");
  await focused(search(page, "Search threads"));
});

import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { gone, seen, useBrowser } from "./browser.js";
import { read, START } from "./calls.js";
import {
  article,
  box,
  button,
  DIALOGS,
  dialogOf,
  field,
  linkOf,
  MENUS,
  picker,
  rows,
  search,
} from "./page.js";
import { clockAt, focused, keys, live, press, says, write } from "./user.js";

const { open, visit } = useBrowser();

test("everything can be done by keyboard", async () => {
  const { page } = await visit("", { start: { clock: START } });
  /** Presses Tab until the focus is on what is looked for, then types, and presses a key. */
  const at = async (
    role: Parameters<typeof page.getByRole>[0],
    name: string | RegExp,
    key: string,
    text = "",
  ) => {
    const wanted = page.getByRole(role, { name, exact: true }).first();
    await seen(wanted);
    const isThere = async () => (await wanted.and(page.locator(":focus")).count()) > 0;
    for (let presses = 0; !(await isThere()); presses += 1) {
      if (presses === 120) throw new Error(`Tab does not lead to ${role} ${name}`);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type(text);
    await page.keyboard.press(key);
  };
  await at("textbox", "Advance by", "Enter", "2h");
  await clockAt(page, "11:00:00");
  await at("link", /Alan Johnson/, "Enter");
  await at("switch", "Messaging window open", "Space");
  await says(page, "Closed: templates and internal only.");
  await at("textbox", "Write as the customer", "Enter", "By keyboard");
  await seen(article(page, "By keyboard"));
  await at("checkbox", "Internal", "Space");
  await at("textbox", "Write as an employee", "Enter", "A note");
  await seen(article(page, "A note").getByText("internal", { exact: true }));

  await at("tab", "Requests", "ArrowRight");
  await page.waitForURL(/tab=deliveries/);
  expect(await page.getByRole("tab", { name: "Deliveries" }).getAttribute("aria-selected")).toBe("true");
  await at("button", /^d2 message to crm delivered$/, "Enter");
  await says(rows(page), "Receiver's answer");
  await page.getByRole("tab", { name: "Deliveries" }).focus();
  await page.keyboard.press("End");
  await page.waitForURL(/tab=coverage/);
});

test("dialogs return the focus, one key leaves the list, the clock has a step of its own, and the title names the thread", async () => {
  const { page } = await visit("?thread=9001", { start: { clock: START } });
  await expect.poll(() => page.title()).toBe("Alan Johnson · default · messaging-sim");
  await write(page, "Something done");
  await press(page, "Let run", "The clock is running.");
  for (const name of Object.values(DIALOGS)) {
    const opener = button(page, MENUS[name] ?? name);
    await opener.focus();
    await page.keyboard.press("Enter");
    if (MENUS[name] !== undefined) {
      await button(page, name).focus();
      await page.keyboard.press("Enter");
    }
    await seen(page.getByRole("dialog"));
    await page.keyboard.press("Escape");
    await gone(page.getByRole("dialog"));
    await focused(opener);
  }
  await linkOf(page, /Alan Johnson/)
    .first()
    .focus();
  await page.keyboard.press("Escape");
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
  await status.focus();
  await page.keyboard.press("ArrowDown");
  expect(await status.inputValue()).toBe("replied");
  await seen(button(page, "Set status"));
  await page.keyboard.press("Escape");
  expect(await status.inputValue()).toBe("waiting");
  await gone(button(page, "Set status"));
  await keys(page, "ArrowDown", "ArrowDown");
  expect(await statusNow()).toBe("waiting");
  await page.keyboard.press("Enter");
  await seen(linkOf(page, /Alan Johnson.*resolved/));
  expect(await statusNow()).toBe("resolved");
  await focused(status);
  // The thread passed by `replied` without being told.
  const controls: { body: unknown }[] = await read(sim, "/controls");
  expect(controls.map(({ body }) => body)).toEqual([{ status: "resolved" }]);

  const transfer = picker(page, "Transfer to");
  await transfer.focus();
  await page.keyboard.press("ArrowDown");
  await seen(button(page, "Transfer"));
  await page.keyboard.press("Tab");
  expect(await read(sim, "/deliveries")).toEqual([]);
  await page.keyboard.press("Enter");
  await says(page, "thread 9001 · WHATSAPP · Acme Lyon");
  await focused(transfer);
  expect(await transfer.inputValue()).toBe("");

  const sandbox = picker(page, "Sandbox");
  await sandbox.focus();
  await page.keyboard.press("ArrowDown");
  await seen(button(page, "Open sandbox"));
  expect(new URL(page.url()).searchParams.get("thread")).toBe("9001");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sandbox=beside/);
  await says(page, "Choose a thread");
  await focused(sandbox);
});

test("single keys act outside of fields, the sheet tells which, and they can be turned off", async () => {
  const { sim, page } = await visit("?thread=9001", { start: { clock: START } });
  const sheet = dialogOf(page, "Keyboard shortcuts");
  const key = (name: string) => page.keyboard.press(name);
  await key("?");
  await says(sheet, "search threads");
  await keys(page, "3", "Escape");
  await gone(sheet);
  expect(page.url()).not.toContain("tab=warnings");
  await keys(page, "3", "j");
  await page.waitForURL(/thread=9002.*tab=warnings|tab=warnings.*thread=9002/);
  await key("k");
  await page.waitForURL(/thread=9001/);
  await key("e");
  await focused(field(page, "Write as an employee"));
  // In a field keys are text.
  await key("c");
  expect(await field(page, "Write as an employee").inputValue()).toBe("c");
  await press(page, "Let run", "The clock is running.");
  await keys(page, "u", "Control+z");
  await says(page, "Undone: The clock is running");
  expect((await read(sim, "/clock")).frozen).toBe(true);
  await key("/");
  await focused(search(page, "Search threads"));
  await press(page, "Keyboard shortcuts");
  await box(sheet, "Single-key shortcuts work outside of text fields").uncheck();
  await key("Escape");
  await gone(sheet);
  await keys(page, "4", "?");
  expect(page.url()).not.toContain("tab=faults");
  expect(await sheet.count()).toBe(0);
});

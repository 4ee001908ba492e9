import { expect, test } from "vitest";
import { beyond, PHONE, placeOf, says, seen, visit } from "./browser.js";
import { inbound, reply, SEND } from "./calls.js";
import { article, button, linkOf, links, logOf, picker, rows } from "./page.js";
import { focused, keys, press } from "./user.js";

test("Enter on a delivery moves the focus to its row", async () => {
  const { sim, page } = await visit("?thread=9001");
  await inbound(sim, "Hello");
  await button(logOf(page), /^built-in receiver 200/).press("Enter");
  await focused(button(rows(page).first(), /d1 message/));
  await keys(page, "Enter");
  await page.waitForURL((url) => !url.searchParams.has("item"));
});

test("threads show their last message, also one of the fixture, and after undo the one that is there again", async () => {
  const { sim, page } = await visit("?thread=9002");
  await seen(linkOf(page, /Priya Nair.*Nov 20\d\d.*Could you put the blue scarf aside/));
  const alan = linkOf(page, /Alan Johnson/);
  await inbound(sim, "Only for now");
  await says(alan, "Only for now", "1 new");
  await press(page, "Reset");
  await says(alan, /Can I exchange it for a size 43/);
  await press(page, "Undo");
  await says(alan, "Only for now");
});

test("after a reload the list says as well who waits, and what was said last in a quiet thread", async () => {
  const { sim, page } = await visit("?thread=9002");
  await inbound(sim, "Are you there?");
  for (let count = 301; count > 0; count -= 1) await reply(sim, "Yes", "9003");
  for (const _ of ["live", "reloaded"]) {
    await says(linkOf(page, /Alan Johnson/), "no reply");
    await seen(linkOf(page, /Tomas Novak.*Nov 20\d\d.*Received, many thanks/));
    await picker(page, "Show").selectOption({ label: "needs attention" });
    await expect.poll(() => links(page).count()).toBe(1);
    await picker(page, "Show").selectOption({ label: "any status" });
    await page.reload();
  }
});

test("a contract warning is named in its row and beside a refusal, there in one line on a phone too", async () => {
  const { sim, page } = await visit("?thread=9001", { viewport: PHONE });
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.api(SEND, { customerThreadId: 9001, text: "Too late" });
  await says(rows(page).first(), "number-id");
  const refusal = button(logOf(page), /^Send message → 400: .*: send a template number-id$/);
  await seen(refusal);
  expect((await placeOf(refusal.getByText("number-id", { exact: true }))).height).toBeLessThan(24);
});

/** What is under the notice, beside its own place: controls and texts that can be seen. */
const COVERED = `(() => {
  const box = document.querySelector(".notice").getBoundingClientRect();
  return [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].flatMap((y) =>
    document.elementsFromPoint(box.left + box.width * x, box.top + box.height * y)
      .filter((one) => one.closest(".notices") === null && !one.matches("html, body, #app, .shell"))
      .map((one) => one.className)));
})()`;

test.each([
  ["", 390],
  ["", 1080],
  ["", 1440],
  ["?thread=9001", 390],
  ["?thread=9001", 1280],
])("a notice covers nothing of %j at %i px", async (search, width) => {
  const { page } = await visit(search, { viewport: { width, height: 800 } });
  await press(page, "Advance", "Clock advanced by 25h.");
  expect(await page.evaluate(COVERED)).toEqual([]);
});

test("the hint on the messaging window is whole, and the header keeps its height", async () => {
  const { sim, page } = await visit("?thread=9001", { viewport: { width: 1440, height: 900 } });
  const head = page.locator(".thread-head");
  const measure = async () => [(await placeOf(head)).height, await beyond(page, ".why")];
  await says(page, "No end set.");
  const [height] = await measure();
  expect(await measure()).toEqual([height, 0]);
  await sim.control("POST /threads/9001/window", { open: false });
  await says(page, "Closed.");
  expect(await measure()).toEqual([height, 0]);
});

/** The controls that are smaller than a finger; what is in a row or a sentence counts with that. */
const SMALL = `[...document.querySelectorAll("button, select, textarea, input, label:is(.check, .switch), a.thread")]
  .filter((one) => one.checkVisibility() && !one.matches("label input, .row-toggle, .link") && one.offsetHeight > 0 && one.offsetHeight < 44)
  .map((one) => one.outerHTML.slice(0, 200) + " " + one.offsetHeight)`;

test("on a phone targets are 44 px high", async () => {
  const { sim, page } = await visit("?thread=9001", { viewport: PHONE });
  await inbound(sim, "Hello");
  await reply(sim, "Hi");
  await seen(article(page, "Hi"));
  expect(await page.evaluate(SMALL)).toEqual([]);
});

test("forced colours keep the switch, the current thread and the tab", async () => {
  const { page } = await visit("?thread=9001", { forcedColors: "active" });
  const outlined = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`);
  expect(await outlined("a.thread[aria-current]")).toBe("solid");
  expect(await outlined("[role=tab][aria-selected=true]")).toBe("solid");
  const track = await page.evaluate(`(() => {
    const track = document.querySelector(".switch .track");
    return getComputedStyle(track).backgroundColor !== getComputedStyle(track, "::after").backgroundColor;
  })()`);
  expect(track).toBe(true);
});

/** How far things have moved by themselves since the page was opened. */
const MOVED = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  const later = (frames) => (frames === 0 ? resolve(sum) : requestAnimationFrame(() => later(frames - 1)));
  later(30);
})`;

test.each([
  ["?thread=9001", 1440],
  ["", 1440],
  ["?thread=9002", 390],
])("hardly anything moves while %j opens at %i px", async (search, width) => {
  const { sim, page } = await visit(search, { viewport: { width, height: 900 } });
  for (const thread of ["9001", "9002"]) {
    await inbound(sim, "Where is my order?", thread);
    await reply(sim, "On its way.", thread);
  }
  // On a busy machine the traffic may come too late for the messages to wait for it.
  const moved = async () => {
    await page.reload();
    await says(page, "Live");
    return page.evaluate(MOVED);
  };
  await expect.poll(moved).toBeLessThanOrEqual(0.05);
});

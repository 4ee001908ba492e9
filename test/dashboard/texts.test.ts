import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, overflowOf, seen, useBrowser } from "./browser.js";
import { TABS } from "./views.js";

const open = useBrowser();
const LONG = "Donaudampfschifffahrtsgesellschaft".repeat(5);
const SANDBOX = `sandbox-${"x".repeat(50)}`;

/** A sandbox in which every name and address is long and cannot be broken. */
async function startLong(): Promise<Running> {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  for (const customer of state.customers) customer.displayName = LONG;
  for (const user of state.users) user.displayName = LONG;
  for (const business of state.businesses) business.name = LONG;
  for (const webhook of state.webhooks) {
    webhook.hookId = LONG.slice(0, 60);
    webhook.url = `http://127.0.0.1:9/${LONG}`;
  }
  for (const template of state.templates) template.title = LONG;
  const base = `/sandboxes/${SANDBOX}`;
  await sim.control(`PUT ${base}`);
  expect((await sim.control(`PUT ${base}/state`, state)).status).toBe(200);
  await sim.control(`POST ${base}/threads/9001/inbound`, { text: LONG });
  await sim.control(`POST ${base}/faults`, {
    on: "request",
    match: { path: `/api/${LONG}` },
    then: "slow",
  });
  const token = `${SANDBOX}.acme-token`;
  await fetch(`${sim.url}/api/${LONG}?${LONG}=${LONG}`, { headers: { token } });
  await sim.api(
    "POST /api/send-message-to-customer-thread",
    { customerThreadId: 9001, text: LONG },
    { token },
  );
  return sim;
}

const fits = async (page: Page, what: string) => {
  expect(await bleedingIn(page), what).toEqual([]);
  expect(await overflowOf(page), what).toBeLessThanOrEqual(0);
};

test.each([390, 768, 1280, 1920])("long names and addresses stay in their place, at %i px", async (width) => {
  const sim = await startLong();
  const search = `?sandbox=${SANDBOX}&thread=9001`;
  const page = await open(sim, { search, viewport: { width, height: 900 } });
  await seen(page.getByRole("article").filter({ hasText: LONG }).last());
  await fits(page, "thread");
  // A thread with a template.
  await page.getByRole("navigation", { name: "Threads" }).getByRole("link").nth(1).click();
  await seen(page.getByRole("article").filter({ hasText: "template" }));
  await fits(page, "template");
  for (const name of TABS) {
    await page.getByRole("tab", { name, exact: true }).click();
    if (["Requests", "Deliveries", "Warnings"].includes(name)) {
      const row = page.getByRole("tabpanel").getByRole("row").first();
      await row.getByRole("button").first().click();
      await seen(row.getByText("Id", { exact: true }));
    }
    await fits(page, name);
  }
});

test("nothing open: the invitation to choose stands below the list, on a phone", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { viewport: { width: 390, height: 844 } });
  const list = await page.getByRole("navigation", { name: "Threads" }).boundingBox();
  const title = page.getByText("Choose a thread");
  await title.scrollIntoViewIfNeeded();
  const after = await page.getByRole("navigation", { name: "Threads" }).boundingBox();
  const box = await title.boundingBox();
  const inspector = await page.getByRole("complementary").boundingBox();
  if (list === null || after === null || box === null || inspector === null) throw new Error("not there");
  expect(box.y).toBeGreaterThan(after.y + after.height);
  expect(box.y + box.height).toBeLessThan(inspector.y);
});

test("texts and names from right to left are shown and written so", async () => {
  const sim = await startSimulator();
  const text = "مرحبا، أين طلبي؟ 123";
  await sim.control("PATCH /data/customers/cust_001", { displayName: "عمر حداد" });
  await sim.control("POST /threads/9001/inbound", { text });
  const page = await open(sim, { search: "?thread=9001" });
  await seen(page.getByText("Live", { exact: true }));
  await seen(page.getByRole("article").filter({ hasText: text }));
  await page.getByRole("textbox", { name: "Write as the customer" }).fill(text);
  const directions = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => getComputedStyle(one).direction)`,
    ) as Promise<string[]>;
  const texts = await directions(".message .text");
  expect([texts[0], texts.at(-1)]).toEqual(["ltr", "rtl"]);
  expect((await directions(".message .author")).at(-1)).toBe("rtl");
  expect(await directions(".composer textarea")).toEqual(["rtl", "ltr"]);
  expect(await directions("h2")).toEqual(["rtl"]);
  expect(await directions(".thread-name")).toContain("rtl");
  expect((await directions(".thread-sub .ellipsis"))[0]).toBe("ltr");
  await sim.control("POST /threads/9001/inbound", { text });
  await expect.poll(async () => (await directions(".thread-sub .ellipsis"))[0]).toBe("rtl");
});

test("nothing moves for those who asked for less motion", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  const page = await open(sim, { search: "?thread=9001", reducedMotion: "reduce" });
  await seen(page.getByRole("article").filter({ hasText: "Hello" }).last());
  // The classes that move are not always in the page: each is put there.
  const moving = await page.evaluate(`
    document.body.insertAdjacentHTML("beforeend",
      '<i class="spinner"></i><i class="chip waiting"><svg class="icon"></svg></i><i class="track"></i>');
    [...document.querySelectorAll("*")].flatMap((element) => [null, "::after"].map((part) => {
      const { animationName, transitionDuration } = getComputedStyle(element, part);
      return animationName === "none" && /^0s(, 0s)*$/.test(transitionDuration) ? "" : element.className;
    })).filter((name) => name !== "")`);
  expect(moving).toEqual([]);
});

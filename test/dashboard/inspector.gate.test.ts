// Slow: a browser, on each tab.
import { expect, test } from "vitest";
import { placeOf, says, seen, visit } from "./browser.js";
import { inbound, poll, READ, read, reply, SEND } from "./calls.js";
import { box, button, item, logOf, panelOf, picker, rows } from "./page.js";
import { fillIn, press, refused, showTab } from "./user.js";

test("faults and behaviour are changed from their tabs, and a message goes over the bounds that it names", async () => {
  const { sim, page } = await visit("?thread=9001&tab=faults", { tolerate: /400/ });
  await sim.api("POST /api/webhooks/", { url: "https://bot.example/hook", subscribedEvents: ["messages"] });
  await press(page, /^rate-limited/);
  await seen(button(page, "Disarm f1"));
  expect((await sim.api(READ)).status).toBe(429);
  await says(page, "fired 1 · seen 1");
  await press(page, "Disarm f1", "No faults");
  await showTab(page, "Behaviour");
  await press(page, "Edit window.duration");
  await fillIn(page, { "window.duration": "soon" });
  await refused(page, "Save window.duration", "window.duration");
  await fillIn(page, { "window.duration": "24h" });
  await press(page, "Save window.duration");
  await seen(button(page, "Default of window.duration"));
  await inbound(sim, "Opens it");
  await says(page, /Closes in 2\d h/);
  // What is held back looks other than what failed, and names the option.
  await press(logOf(page), /^webhook blocked/);
  await says(page, "Blocked.");
  await seen(page.getByText("--allow-outbound bot.example", { exact: true }));
});

test("a row that is looked at stays in place when calls come", async () => {
  const { sim, page } = await visit("?thread=9001&tab=requests");
  await poll(sim, 100);
  await says(page, "100 entries");
  await page.goto(`${sim.url}/__sim/ui/?thread=9001&tab=requests&item=r40`);
  const row = rows(page).filter({ hasText: "Outcome" });
  await seen(row);
  const { y } = await placeOf(row);
  await sim.api(READ);
  await says(page, "101 entries");
  expect((await placeOf(row)).y).toBeCloseTo(y, 0);
});

test("a scenario runs beside the sandbox that is shown, which stays as it is; its report outlives a reload", async () => {
  const { sim, page } = await visit("?thread=9001&tab=scenarios");
  await sim.control("PUT /sandboxes/beside");
  const parts = ["/data/messages", "/faults", "/requests", "/deliveries", "/behaviour"];
  const standing = () => Promise.all(parts.map((path) => read(sim, path)));
  const sandboxes = async () => (await read(sim, "/sandboxes")).map(({ id }: { id: string }) => id).slice(2);
  await says(page, "default stays as it is");
  const before = await standing();
  await press(page, "Run unreliable-api");
  const steps = page.getByRole("list", { name: /^Steps of/ });
  await seen(steps);
  await says(panelOf(page), "passed");
  expect(await standing()).toEqual(before);
  expect((await read(sim, "/clock")).frozen).toBe(false);
  const [own] = await sandboxes();
  await page.reload();
  await seen(steps);
  await picker(page, "Sandbox").selectOption("beside");
  await page.waitForURL(/sandbox=beside/);
  await seen(steps);
  expect(await steps.getByRole("listitem").count()).toBeGreaterThan(1);

  await press(page, `sandbox ${own}`);
  await page.waitForURL(new RegExp(`sandbox=${own}`));
  await showTab(page, "Requests");
  await seen(rows(page).first());
  await press(page, "Clear", /entr(y|ies)$/);
  await press(page, "Confirm clearing", "No API calls yet");
});

test("a fault by hand hits the calls that the form named before", async () => {
  const { sim, page } = await visit("?thread=9001&tab=faults");
  for (const thread of ["9001", "9003", "9001"]) await reply(sim, "Before", thread);
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status: "replied" });
  await sim.api(SEND, { customerThreadId: 9001, text: "By number" });
  await page.getByText("Fault by hand", { exact: true }).click();
  await picker(page, "Operation").selectOption({ label: "Send message" });
  await fillIn(panelOf(page), { Times: "1", Thread: "9001", "From call no.": "2" });
  await says(page, "Of the last 5 calls, 3 match, and the fault would have fired on 1.");
  await seen(button(panelOf(page), "r3"));
  await refused(page, "Arm fault", "Enter a delay, a status or a body.");
  await fillIn(panelOf(page), { Status: "503", "Response body": '{"error":"teapot"}' });
  await press(page, "Arm fault", "answer 503");
  expect((await reply(sim, "Passes")).status).toBe(200);
  expect(await reply(sim, "Hit")).toMatchObject({ status: 503, body: { error: "teapot" } });
  expect((await reply(sim, "Elsewhere", "9003")).status).toBe(200);
});

test("a value that was observed shows its evidence", async () => {
  const { sim, page } = await visit("?thread=9001&tab=behaviour");
  await says(page, "Observed (0)");
  const at = "2026-02-03T10:00:00Z";
  const call = { scenario: "Webhooks", step: "steps[3]: GET /api/webhooks/", operation: "listWebhooks", at };
  const calls = [{ ...call, shows: "the list stands in an object" }];
  const observed = { "webhooks.response": { at, calls } };
  await sim.control("PATCH /behaviour", { "webhooks.response": "wrapped", observed });
  await page.reload();
  await box(page, "Observed (1)").check();
  const row = item(panelOf(page), "webhooks.response");
  await row.getByText("Observed 2026-02-03 in 1 call: the list stands in an object").click();
  await says(row, "Webhooks, steps[3]: GET /api/webhooks/, 2026-02-03T10:00:00Z");
  expect(await panelOf(page).getByRole("button", { name: /^Edit/ }).count()).toBe(1);
});

// Slow: a browser, on each tab.
import { expect, test } from "vitest";
import { placeOf, says, seen, visit } from "./browser.js";
import { inbound, poll, READ, read, reply, SEND } from "./calls.js";
import { button, item, logOf, panelOf, picker, rows } from "./page.js";
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
  await refused(page, "Save window.duration", /^Must be /);
  await seen(page.locator("[aria-invalid=true]"));
  await fillIn(page, { "window.duration": "24h" });
  await press(page, "Save window.duration");
  await press(page, "Edit webhooks.response");
  await picker(page, "webhooks.response").selectOption("wrapped");
  await press(page, "Save webhooks.response");
  await seen(button(page, "Default of webhooks.response"));
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

test("a scenario runs beside the sandbox that is shown, which stays as it is; its report outlives a change of sandbox", async () => {
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
  await refused(page, "Arm fault", "Enter a delay, a status or a body.");
  await fillIn(panelOf(page), { Status: "503", "Response body": '{"error":"teapot"}' });
  await press(page, "Arm fault", "answer 503");
  await says(
    panelOf(page),
    /where operation is Send message and body.customerThreadId is 9001 or 9001, after 1, once/,
  );
  expect((await reply(sim, "Passes")).status).toBe(200);
  expect(await reply(sim, "Hit")).toMatchObject({ status: 503, body: { error: "teapot" } });
  expect((await reply(sim, "Elsewhere", "9003")).status).toBe(200);
});

test("a value that was observed says when, and what shows it", async () => {
  const { sim, page } = await visit("?thread=9001&tab=behaviour");
  const at = "2026-02-03T10:00:00Z";
  const call = { scenario: "Webhooks", step: "steps[3]: GET /api/webhooks/", operation: "listWebhooks", at };
  const calls = [{ ...call, shows: "the list stands in an object" }];
  const observed = { "webhooks.response": { at, calls } };
  await sim.control("PATCH /behaviour", { "webhooks.response": "wrapped", observed });
  const row = item(panelOf(page), "webhooks.response");
  await page.reload();
  await says(row, "observed", "Observed 2026-02-03 in 1 call: the list stands in an object");
});

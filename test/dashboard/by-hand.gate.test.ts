/** What a user sets by hand, and what the page shows of it. */
import { expect, test } from "vitest";
import { seen, useBrowser } from "./browser.js";
import { read, reply } from "./calls.js";
import { box, button, field, item, panelOf, picker } from "./page.js";
import { press, refused, says } from "./user.js";

const { visit } = useBrowser();

test("a fault by hand hits the calls that the form named before", async () => {
  const { sim, page } = await visit("?thread=9001&tab=faults");
  for (const [text, thread] of [
    ["One", "9001"],
    ["Other", "9003"],
    ["Two", "9001"],
  ] as const)
    await reply(sim, text, thread);
  await page.getByText("Fault by hand", { exact: true }).click();
  await picker(page, "Operation").selectOption({ label: "Send message" });
  await field(page, "Thread").fill("9001");
  await field(page, "From call no.").fill("2");
  await says(page, "Of the last 3 calls, 2 match, and the fault would have fired on 1.");
  await seen(button(panelOf(page), "r3"));
  await refused(page, "Arm fault", "Enter a delay, a status or a body.");
  await field(page, "Status").fill("503");
  await field(page, "Response body").fill('{"error":"teapot"}');
  await press(page, "Arm fault", "answer 503");
  expect((await reply(sim, "Passes")).status).toBe(200);
  expect(await reply(sim, "Hit")).toMatchObject({ status: 503, body: { error: "teapot" } });
  expect((await reply(sim, "Elsewhere", "9003")).status).toBe(200);
});

test("a value that was measured shows its evidence", async () => {
  const { sim, page } = await visit("?thread=9001&tab=behaviour");
  await says(page, "Observed (0)");
  const exchange = {
    file: "session.har",
    exchange: 3,
    operation: "listWebhooks",
    at: "2026-02-03T10:00:00Z",
  };
  const exchanges = [{ ...exchange, shows: "the list stands in an object" }];
  const observed = { "webhooks.response": { at: exchange.at, exchanges } };
  await sim.control("PATCH /behaviour", { "webhooks.response": "wrapped", observed });
  await page.reload();
  await box(page, "Observed (1)").check();
  const row = item(panelOf(page), "webhooks.response");
  await row.getByText("Observed 2026-02-03 in 1 exchange: the list stands in an object").click();
  await says(row, "session.har, entry 3, 2026-02-03T10:00:00Z");
  expect(await panelOf(page).getByRole("button", { name: /^Edit/ }).count()).toBe(1);
  expect(
    (await read(sim, "/behaviour")).filter(({ source }: { source: string }) => source === "observed").length,
  ).toBe(1);
});

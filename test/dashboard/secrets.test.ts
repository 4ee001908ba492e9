import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { seen, useBrowser } from "./browser.js";

const open = useBrowser();

test("a delivery shows no secret of its address or headers", async () => {
  const sim = await startSimulator({ set: { "delivery.attempts": 1 } });
  await sim.control("PATCH /data/webhooks/1", {
    url: "http://alice:PASSWORD1@127.0.0.1:9/hook?key=KEY1",
    extraHeaders: [{ name: "x-auth", value: "HEADER1" }],
  });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  const page = await open(sim, { search: "?thread=9001&tab=deliveries&item=d1" });
  const panel = page.getByRole("tabpanel");
  await seen(panel.getByText("http://***@127.0.0.1:9/hook?key=***").first());
  await seen(panel.getByText("x-auth").first());
  expect(await page.content()).not.toMatch(/PASSWORD1|KEY1|HEADER1/);
});

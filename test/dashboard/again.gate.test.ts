import { expect, test } from "vitest";
import { gone, says, violationsOf, visit } from "./browser.js";
import { read, reply } from "./calls.js";
import { dialogOf } from "./page.js";
import { fillIn, press, tells } from "./user.js";

test("a call is changed and sent again, as the integration and as somebody else", async () => {
  const { sim, page } = await visit("?thread=9001&tab=requests&item=r1", { tolerate: /40[014]/ });
  await reply(sim, "First");
  const dialog = dialogOf(page, "Send again");
  const send = async (fields: Readonly<Record<string, string>>, method?: string) => {
    if (!(await dialog.isVisible())) await press(page, "Send again");
    if (method !== undefined) await dialog.getByLabel("Method").selectOption(method);
    await fillIn(dialog, fields);
    await press(dialog, "Send");
  };
  await send({ Body: '{ "customerThreadId": "9001", "text": "Second" }', Headers: "no header" });
  await says(dialog, "Invalid header: no header");
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await send({ Headers: "content-type: application/json\nX-Mine: 1" });
  await page.waitForURL(/item=r2/);
  await gone(dialog);
  await tells(page, "Second");
  await send({ Token: "nobody" });
  await page.waitForURL(/item=r3/);
  const path = "/api/get-customer-thread-details?customerThreadId=9101";
  await send({ "Path and query": path, Token: "globex-token" }, "GET");
  await page.waitForURL(/item=r4/);
  await send({ "Path and query": "/x/../__sim/reset" });
  await says(dialog, "Enter a path of the simulated API: it begins with /, but not with /__sim.");
  await send({ "Path and query": "/graphql", Token: "acme-token", Body: '{ "query": "webhooks" }' }, "POST");
  await page.waitForURL(/item=r5/);
  await send({ "Path and query": "//api/webhooks/" }, "GET");
  await page.waitForURL(/item=r6/);
  await send({ "Path and query": "api/webhooks/" });
  await says(dialog, "Enter a path of the simulated API: it begins with /, but not with /__sim.");
  expect(await read(sim, "/requests")).toMatchObject([
    { by: "client", token: "acme-token", status: 200 },
    { by: "client", token: "acme-token", status: 200, headers: { "x-mine": "1" }, body: { text: "Second" } },
    { token: "nobody", status: 401 },
    { method: "GET", token: "globex-token", query: { customerThreadId: "9101" }, body: null, status: 200 },
    { method: "POST", path: "/graphql", token: "acme-token", body: { query: "webhooks" } },
    { method: "GET", path: "//api/webhooks/", status: 404 },
  ]);
});

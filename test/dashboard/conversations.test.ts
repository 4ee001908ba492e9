import { expect, test } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { bleedingIn, gone, overflowOf, seen, useBrowser, violationsOf } from "./browser.js";

const open = useBrowser();

test("a conversation begins with somebody new or known; what is unusable leaves nothing behind", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { tolerate: /400/ });
  const stateOf = async () =>
    Promise.all(
      ["customers", "threads", "messages"].map(async (name) => (await sim.control(`GET /data/${name}`)).body),
    );
  const before = await stateOf();
  await page.getByRole("button", { name: "New conversation" }).click();
  const dialog = page.getByRole("dialog", { name: "New conversation" });
  const field = (name: string) => dialog.getByRole("textbox", { name });
  const start = () => dialog.getByRole("button", { name: "Start conversation" }).click();
  await seen(dialog.getByRole("combobox", { name: "Business" }));
  await start();
  await seen(dialog.getByRole("alert").filter({ hasText: "Write what the customer says first." }));
  await field("First text").fill("Do you open on Sundays?");
  await start();
  await seen(dialog.getByRole("alert").filter({ hasText: "a name, a phone number or an e-mail address" }));
  await field("Name").fill("Ida Berg");
  await field("Phone number").fill("5550100");
  await start();
  await seen(dialog.getByRole("alert").filter({ hasText: "phoneNumber" }));
  expect(await stateOf()).toEqual(before);

  await field("Phone number").fill("+15550100");
  await dialog.getByRole("combobox", { name: "Channel" }).selectOption("SMS");
  await start();
  await gone(dialog);
  const log = page.getByRole("log", { name: "Conversation" });
  await seen(log.getByRole("article").filter({ hasText: "Do you open on Sundays?" }));
  await seen(page.getByRole("heading", { name: "Ida Berg" }));
  const id = new URL(page.url()).searchParams.get("thread");
  const thread = (await sim.control(`GET /data/threads/${id}?_embed=customer`)).body;
  expect(thread).toMatchObject({
    businessId: "1001",
    channel: "SMS",
    status: "waiting",
    customer: { displayName: "Ida Berg", phoneNumber: "+15550100", emailAddress: null, channel: "SMS" },
  });
  const deliveries = (await sim.control(`GET /deliveries?threadId=${id}`)).body;
  expect(deliveries).toMatchObject([{ eventType: "message" }]);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "New conversation" }).click();
  await dialog.getByRole("radio", { name: "One who is known" }).check({ force: true });
  await dialog.getByRole("searchbox", { name: "Search customers" }).fill("maria");
  const known = dialog.getByRole("combobox", { name: "Known customer" });
  await known.selectOption({ label: await known.getByRole("option", { name: /Maria Lopez/ }).innerText() });
  await field("First text").fill("Me again");
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await bleedingIn(page)).toEqual([]);
  expect(await violationsOf(page, "dialog")).toEqual([]);
  await start();
  await gone(dialog);
  await seen(page.getByRole("heading", { name: "Maria Lopez" }));
  expect((await sim.control("GET /data/customers")).body.length).toBe(before[0].length + 1);
});

test("files go with messages of both sides, and templates through a closed window", async () => {
  const sim = await startSimulator();
  const page = await open(sim, { search: "?thread=9001" });
  const log = page.getByRole("log", { name: "Conversation" });
  const file = { name: "invoice.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 x") };
  const newest = async (thread = "9001") =>
    (await sim.control(`GET /data/messages?threadId=${thread}`)).body.at(-1);
  const attach = async (by: string) => {
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: `Attach a file as ${by}` }).click();
    await (await choosing).setFiles(file);
    await seen(page.getByRole("button", { name: "Leave out invoice.pdf" }));
  };
  await attach("the customer");
  await page.getByRole("button", { name: "Leave out invoice.pdf" }).click();
  await attach("the customer");
  await page.getByRole("button", { name: "Send as customer" }).click();
  await seen(log.getByRole("article").filter({ hasText: "invoice.pdf" }));
  const attachment = { name: "invoice.pdf", contentType: "application/pdf", contentLength: 10 };
  expect(await newest()).toMatchObject({ fromCustomer: true, text: "", attachment });
  await gone(page.getByRole("button", { name: "Leave out invoice.pdf" }));
  await attach("an employee");
  await page.getByRole("textbox", { name: "Write as an employee" }).fill("Signed copy");
  await page.getByRole("button", { name: "Send as employee" }).click();
  await seen(log.getByRole("article").filter({ hasText: "Signed copy" }));
  expect(await newest()).toMatchObject({ fromCustomer: false, text: "Signed copy", attachment });

  await page.getByRole("link", { name: /Maria Lopez/ }).click();
  await page.waitForURL(/thread=9002/);
  await seen(page.getByText("Or choose a template."));
  const template = page.getByRole("combobox", { name: "Template" });
  await template.selectOption({ label: "issue_back" });
  const { id, text } = (await sim.control("GET /data/templates?title=issue_back")).body[0];
  expect(await page.getByRole("textbox", { name: "Write as an employee" }).inputValue()).toBe(text);
  await page.getByRole("button", { name: "Send as employee" }).click();
  await seen(log.getByRole("article").filter({ hasText: "template issue_back" }).last());
  expect(await newest("9002")).toMatchObject({ contentSid: id, text, fromCustomer: false });
  expect(await template.inputValue()).toBe("");
  expect(await violationsOf(page, "main")).toEqual([]);
  await page.getByRole("link", { name: /Tomas Novak/ }).click();
  await page.waitForURL(/thread=9004/);
  await gone(template);
});

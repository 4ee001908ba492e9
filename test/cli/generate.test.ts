import { expect, it } from "vitest";
import { LOCALES, NOW } from "../../src/cli/generate.js";
import { keysOf } from "../../src/kernel/objects.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import type { FixtureDocument } from "../../src/service/world/records.js";
import { run } from "./terminal.js";

const HOURS_24 = 24 * 60 * 60 * 1000;

async function made(words: string): Promise<string> {
  const { code, out, err } = await run(["generate", ...words.split(" ")]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

/** What the command writes, loaded by the loader's rules. */
async function generated(words: string): Promise<FixtureDocument> {
  const { document, problems } = await new FixtureLoader().readFixtureText(await made(words), "x.json");
  expect(problems).toBeUndefined();
  return document as FixtureDocument;
}

const byId = <T extends { readonly id: string }>(records: readonly T[]) =>
  new Map(records.map((record) => [record.id, record]));

it("a generated fixture has the same bytes for the same options, and others for another seed", async () => {
  const words = "--threads 30 --locale fr --seed";
  const first = await made(`${words} 7`);
  expect(await made(`${words} 7`)).toBe(first);
  for (const seed of ["8", "blue"]) expect(await made(`${words} ${seed}`)).not.toBe(first);
});

it.each(keysOf(LOCALES))("a generated fixture in the locale %s loads without a problem", async (locale) => {
  const words = `--threads 120 --locale ${locale} --businesses 6`;
  const { customers, messages, templates, threads } = await generated(words);
  expect([...new Set(customers.map((one) => one.locale))]).toEqual([locale.replace("_", "-")]);
  expect(templates).toHaveLength(3);
  expect(messages.map(({ text }) => text).join("\n")).not.toMatch(/[{}]|undefined/);
  expect(new Set(threads.map(({ channel }) => channel))).toEqual(new Set(["WHATSAPP", "SMS", "EMAIL"]));
  expect(new Set(threads.map(({ status }) => status)).size).toBe(3);
  expect(messages.some(({ invisible }) => invisible)).toBe(true);
});

it("a generated fixture has names and texts of its locale", async () => {
  for (const locale of ["en", "ja"]) {
    const { customers, messages } = await generated(`--threads 5 --locale ${locale}`);
    for (const text of [customers[0]?.firstName, messages.map((message) => message.text).join(" ")])
      expect([text, /[\u3040-\u9fff]/.test(text ?? "")]).toEqual([text, locale === "ja"]);
  }
});

it("a generated fixture has as many of everything as it is told", async () => {
  const world = await generated("--threads 40 --customers 9 --businesses 5");
  const counts = Object.entries(world).map(([collection, { length }]) => [collection, length]);
  expect(Object.fromEntries(counts)).toMatchObject({
    ...{ organizations: 1, businesses: 5, customers: 9, threads: 40 },
    ...{ tokens: 2, webhooks: 1 },
  });
  for (const { id, permissions } of world.tokens)
    expect(id).toMatch(permissions.length === 0 ? /-no-delete$/ : /-token$/);
});

it("a generated fixture can have no conversations", async () => {
  const { customers, threads, messages } = await generated("--threads 0");
  for (const empty of [customers, threads, messages]) expect(empty).toEqual([]);
});

it("a generated fixture leaves no customer's contact twice, and none outside of reserved addresses", async () => {
  const { customers, users } = await generated("--threads 0 --customers 3000 --locale ja");
  const phones = customers.flatMap(({ phoneNumber }) => phoneNumber ?? []);
  const mails = customers.flatMap(({ emailAddress }) => emailAddress ?? []);
  for (const values of [phones, mails]) expect(new Set(values).size).toBe(values.length);
  const addresses = [...mails, ...users.map(({ email }) => email)];
  expect(addresses.filter((address) => !address.endsWith(".example"))).toEqual([]);
});

it("a generated fixture keeps to the service's own rules: senders, windows, employees, time", async () => {
  const world = await generated("--threads 400 --businesses 12 --seed 3");
  const [businesses, customers] = [byId(world.businesses), byId(world.customers)];
  const users = byId(world.users);
  for (const { id, channel, businessId, customerId, isMessagingWindowOpen } of world.threads) {
    const messages = world.messages.filter(({ threadId }) => threadId === id);
    const [business, customer] = [businesses.get(businessId)!, customers.get(customerId)!];
    expect(business.organizationId).toBe(customer.organizationId);
    expect(channel === "EMAIL" ? customer.emailAddress : customer.phoneNumber).not.toBeNull();
    if (channel === "WHATSAPP") expect(business.whatsappSender?.active).toBe(true);
    const asked = messages.findLast(({ fromCustomer }) => fromCustomer)!;
    expect(isMessagingWindowOpen).toBe(channel !== "WHATSAPP" || NOW - asked.timestamp < HOURS_24);
    expect(messages[0]!.fromCustomer).toBe(true);
    let [before, heard] = [0, 0];
    for (const { timestamp, fromCustomer, employeeUserId } of messages) {
      expect(timestamp).toBeGreaterThan(before);
      expect(timestamp).toBeLessThanOrEqual(NOW);
      before = timestamp;
      if (fromCustomer) heard = timestamp;
      else expect(users.get(employeeUserId!)!.businessIds).toContain(businessId);
      if (channel === "WHATSAPP") expect(timestamp - heard).toBeLessThan(HOURS_24);
    }
  }
});

import { describe, expect, it } from "vitest";
import { fixtureText, LOCALES, NOW } from "../../src/cli/generate.js";
import { keysOf } from "../../src/kernel/objects.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import type { FixtureDocument } from "../../src/service/world/records.js";
import { run } from "./terminal.js";

const HOURS_24 = 24 * 60 * 60 * 1000;

/** What the command writes, loaded by the loader's rules. */
async function generated(words: string): Promise<FixtureDocument> {
  const { code, out, err } = await run(["generate", ...words.split(" ")]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { document, problems = [] } = await new FixtureLoader().readFixtureText(out, "generated.json");
  expect(problems).toEqual([]);
  return document as FixtureDocument;
}

describe("a generated fixture", () => {
  it("has the same bytes for the same options, and others for another seed", async () => {
    const made = async (seed: string) =>
      (await run(["generate", "--threads", "30", "--locale", "fr", "--seed", seed])).out;
    const first = await made("7");
    expect(await made("7")).toBe(first);
    for (const seed of ["8", "blue"]) expect(await made(seed)).not.toBe(first);
  });

  it.each(keysOf(LOCALES))("in the locale %s loads without a problem", async (locale) => {
    const { customers, messages, templates, threads } = await generated(
      `--threads 120 --locale ${locale} --businesses 6 --organizations 2`,
    );
    expect(new Set(customers.map((customer) => customer.locale))).toEqual(
      new Set([locale.replace("_", "-")]),
    );
    expect(messages.map(({ text }) => text).join("\n")).not.toMatch(/[{}]|undefined/);
    expect(templates).toHaveLength(6);
    expect(new Set(threads.map(({ channel }) => channel))).toEqual(new Set(["WHATSAPP", "SMS", "EMAIL"]));
    expect(messages.some(({ invisible }) => invisible)).toBe(true);
    expect(messages.some(({ attachment }) => attachment !== null)).toBe(true);
    expect(messages.some(({ contentSid }) => contentSid !== null)).toBe(true);
    expect(new Set(threads.map(({ status }) => status)).size).toBe(3);
  });

  it("has names and texts of its locale, written with a dash or not", async () => {
    expect((await generated("--locale pt-BR")).customers[0]?.locale).toBe("pt-BR");
    const made = await Promise.all(["en", "ja"].map((locale) => generated(`--threads 5 --locale ${locale}`)));
    const isJapanese = made.map(({ customers, messages }) =>
      [customers[0]?.firstName, messages[1]?.text].map((text) => /[\u3040-\u9fff]/.test(text ?? "")),
    );
    expect(isJapanese).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it("has as many of everything as it is told", async () => {
    const world = await generated("--threads 40 --customers 9 --businesses 5 --organizations 3 --messages 4");
    const counts = Object.fromEntries(
      Object.entries(world).map(([collection, records]) => [collection, records.length]),
    );
    expect(counts).toMatchObject({
      organizations: 3,
      businesses: 5,
      customers: 9,
      threads: 40,
      messages: 160,
      tokens: 6,
      webhooks: 3,
    });
    for (const { id, permissions } of world.tokens)
      expect(id).toMatch(permissions.length === 0 ? /-no-delete$/ : /-token$/);
  });

  it("can be empty, and can have threads without messages", async () => {
    const none = await generated("--threads 0 --customers 0 --businesses 0 --organizations 0");
    expect(Object.values(none).flat()).toEqual([]);
    const silent = await generated("--threads 5 --messages 0");
    expect([silent.threads.length, silent.messages.length]).toEqual([5, 0]);
  });

  it("leaves no customer's contact twice, and none outside of reserved addresses", async () => {
    const { customers, users } = await generated("--threads 0 --customers 3000 --locale ja");
    for (const field of ["emailAddress", "phoneNumber"] as const) {
      const values = customers.flatMap((customer) => customer[field] ?? []);
      expect(new Set(values).size).toBe(values.length);
    }
    const addresses = [
      ...customers.flatMap(({ emailAddress }) => emailAddress ?? []),
      ...users.map(({ email }) => email),
    ];
    expect(addresses.filter((address) => !address.endsWith(".example"))).toEqual([]);
  });

  it("keeps to the service's own rules: senders, windows, employees, templates, time", async () => {
    const world = await generated("--threads 400 --businesses 12 --organizations 2 --seed 3");
    const business = new Map(world.businesses.map((record) => [record.id, record]));
    const customer = new Map(world.customers.map((record) => [record.id, record]));
    const user = new Map(world.users.map((record) => [record.id, record]));
    const template = new Map(world.templates.map((record) => [record.id, record]));
    for (const thread of world.threads) {
      const { channel, businessId, customerId, isMessagingWindowOpen } = thread;
      const messages = world.messages.filter(({ threadId }) => threadId === thread.id);
      const who = customer.get(customerId)!;
      expect(business.get(businessId)!.organizationId).toBe(who.organizationId);
      expect(channel === "EMAIL" ? who.emailAddress : who.phoneNumber).not.toBeNull();
      if (channel === "WHATSAPP") expect(business.get(businessId)!.whatsappSender?.active).toBe(true);
      const asked = messages.findLast(({ fromCustomer }) => fromCustomer)!;
      expect(isMessagingWindowOpen).toBe(channel !== "WHATSAPP" || NOW - asked.timestamp < HOURS_24);
      expect(messages[0]!.fromCustomer).toBe(true);
      let before = 0;
      let heard = 0;
      for (const message of messages) {
        expect(message.timestamp).toBeGreaterThan(before);
        expect(message.timestamp).toBeLessThanOrEqual(NOW);
        before = message.timestamp;
        if (message.fromCustomer) heard = message.timestamp;
        else expect(user.get(message.employeeUserId!)!.businessIds).toContain(businessId);
        if (message.contentSid !== null) expect(message.text).toBe(template.get(message.contentSid)!.text);
        const isLate = channel === "WHATSAPP" && message.timestamp - heard >= HOURS_24;
        if (isLate) expect(message.contentSid).not.toBeNull();
      }
    }
  });

  it("is written piece by piece, so that a reader that goes away ends it", async () => {
    const counts = { organizations: 1, businesses: 1, customers: 1, threads: 5_000_000, messages: 1 };
    const pieces = fixtureText({ ...counts, seed: 1, locale: "en" });
    const { value } = await pieces.next();
    expect(String(value).length).toBeLessThan(70_000);
    await pieces.return(undefined);
  });
});

describe("generate refuses with exit code 2 and a line for each option", () => {
  it.each([
    [["--locale", "tlh"], `--locale: must be one of ${keysOf(LOCALES).join(", ")}, but is "tlh"`],
    [["--threads", "-1"], '--threads: must be a whole number from 0 to 10000000, but is "-1"'],
    [["--threads", "x"], '--threads: must be a whole number from 0 to 10000000, but is "x"'],
    [["--customers", "0"], "--customers: must be at least 1: threads need one"],
    [["--threds", "1"], 'unknown option "--threds": did you mean "--threads"?'],
  ])("%j", async (words, line) => {
    expect(await run(["generate", ...words])).toEqual({ code: 2, out: "", err: `${line}\n` });
  });
});

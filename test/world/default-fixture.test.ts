import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";

const file = new URL("../../fixtures/default.json", import.meta.url);
const { document, problems } = await new FixtureLoader().readFixtureText(
  readFileSync(file, "utf8"),
  "default.json",
);
if (problems) throw new Error(problems.map(formatProblem).join("\n"));
const { organizations, businesses, users, tokens, customers, threads, messages, templates } = document;

const byId = <T extends { id: string }>(records: readonly T[], id: string): T => {
  const record = records.find((each) => each.id === id);
  if (record === undefined) throw new Error(`${id} is not there`);
  return record;
};
describe("the fixture of a bare start has", () => {
  test("two organizations", () => {
    expect(organizations.map(({ id }) => id)).toEqual(["200", "300"]);
  });

  test("threads on every channel, the window open and closed on WhatsApp", () => {
    expect(
      threads
        .slice(0, 5)
        .map(({ id, channel, isMessagingWindowOpen }) => [id, channel, isMessagingWindowOpen]),
    ).toEqual([
      ["9001", "WHATSAPP", true],
      ["9002", "WHATSAPP", false],
      ["9003", "SMS", true],
      ["9004", "EMAIL", true],
      ["9005", "SMS", true],
    ]);
    expect(threads.every((thread) => thread.windowClosesAt === undefined)).toBe(true);
  });

  test("tokens with and without user:delete, and one of the second organization", () => {
    const view = tokens.map(({ id, userId, permissions }) => [
      id,
      byId(users, userId).organizationId,
      permissions,
    ]);
    expect(view).toEqual([
      ["acme-token", "200", ["user:delete"]],
      ["acme-readonly", "200", []],
      ["globex-token", "300", ["user:delete"]],
    ]);
  });

  test("threads that each token may and may not see", () => {
    const seen = (token: string) => {
      const { businessIds } = byId(users, byId(tokens, token).userId);
      return threads.filter(({ businessId }) => businessIds.includes(businessId)).map(({ id }) => id);
    };
    expect(seen("acme-token")).toEqual(["9001", "9002", "9003", "9004"]);
    expect(seen("acme-readonly")).toEqual(["9001", "9002", "9003", "9004", "9005"]);
    expect(seen("globex-token")).toEqual(["9101", "9102"]);
  });

  test("conversations: ids and times in step, a template, a note among colleagues, an attachment", () => {
    for (const { id } of threads)
      expect(messages.filter(({ threadId }) => threadId === id).length).toBeGreaterThan(1);
    expect(messages.map(({ id }) => Number(id))).toEqual(messages.map((_, index) => 555001 + index));
    expect(messages.map(({ timestamp }) => timestamp)).toEqual(
      messages.map(({ timestamp }) => timestamp).sort((a, b) => a - b),
    );
    for (const { contentSid, text } of messages)
      if (contentSid !== null) expect(text).toBe(byId(templates, contentSid).text);
    expect(messages.some(({ contentSid }) => contentSid !== null)).toBe(true);
    expect(messages.some(({ invisible }) => invisible)).toBe(true);
    expect(messages.some(({ attachment }) => attachment !== null)).toBe(true);
    expect(
      messages.every(({ fromCustomer, employeeUserId }) => fromCustomer === (employeeUserId === null)),
    ).toBe(true);
  });

  test("no address or number of anybody real", () => {
    const addresses = [
      ...users.map(({ email }) => email),
      ...customers.flatMap(({ emailAddress }) => emailAddress ?? []),
    ];
    for (const address of addresses) expect(address).toMatch(/\.example$/);
    const senders = businesses.flatMap(({ whatsappSender }) => whatsappSender?.phoneNumber ?? []);
    const numbers = [...senders, ...customers.flatMap(({ phoneNumber }) => phoneNumber ?? [])];
    for (const number of numbers) expect(number).toMatch(/^(\+1555|\+3315555)/);
  });
});

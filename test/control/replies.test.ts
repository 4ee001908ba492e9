import { expect, it } from "vitest";
import { type AwaitedReply, repliesIn } from "../../src/control/replies.js";
import { patternProblems } from "../../src/kernel/matching.js";
import type { JournalEntry } from "../../src/sandbox/journal.js";
import { requestDifferences } from "../../src/sandbox/match.js";
import type { Template } from "../../src/service/world/records.js";

const TEMPLATES: Template[] = [
  { id: "HX1", organizationId: "200", title: "issue_back", text: "Back" },
  { id: "HX2", organizationId: "200", title: "twice", text: "One" },
  { id: "HX3", organizationId: "300", title: "twice", text: "Two" },
];

const call = (body: object, status = 200) =>
  ({
    by: "client",
    operation: "sendMessageToCustomerThread",
    status,
    body: { customerThreadId: "9001", ...body } as unknown,
  }) as JournalEntry;

type ReplyMatch = Omit<AwaitedReply, "thread">;
const world = { get: () => ({}), all: () => TEMPLATES } as never;
const asking = (match: ReplyMatch) => repliesIn({ world }, { thread: "9001", ...match });
const fits = (match: ReplyMatch, body: object, status?: number): boolean => {
  const asked = asking(match);
  expect(patternProblems(asked)).toEqual([]);
  return requestDifferences(asked, call(body, status)).length === 0;
};

it.each<[ReplyMatch, string | object, boolean]>([
  [{}, "anything", true],
  [{ text: "Hi" }, "Hi", true],
  [{ text: "Hi" }, "Hi!", false],
  [{ text: "" }, "Hi", false],
  [{ contains: "a.b" }, "xa.by", true],
  [{ contains: "a.b" }, "xaxby", false],
  [{ matches: "^hello|good (morning|evening)" }, "A Good Evening", true],
  [{ matches: "^hello$" }, "Hello Alan", false],
  [{ matches: "(?-i:hello)" }, "Hello", false],
  [{ oneOf: ["Yes", "No"] }, "No", true],
  [{ oneOf: ["Yes", "No"] }, "Not", false],
  [{ text: "Yes", oneOf: ["Yes", "No"] }, "Yes", true],
  [{ text: "Yes", oneOf: ["Yes", "No"] }, "No", false],
  [{ not: "error" }, "All well", true],
  [{ not: "error" }, "An error", false],
  [{ not: ["error", "sorry"] }, "so sorry", false],
  [{ not: ["error", "sorry"] }, "All well", true],
  [{ contains: "order", matches: "ready", not: "not ready" }, "Your order is ready", true],
  [{ contains: "order", matches: "ready", not: "not ready" }, "Your order is not ready", false],
  [{ template: "issue_back" }, { contentSid: "HX1" }, true],
  [{ template: "HX1" }, { contentSid: "HX1" }, true],
  [{ template: "issue_back" }, { contentSid: "HX2" }, false],
  [{ template: "issue_back" }, { text: "Back" }, false],
  [{ template: "twice" }, { contentSid: "HX3" }, true],
  [{}, { contentSid: "HX1" }, true],
  [{}, { text: "Psst", internal: true }, false],
  [{}, { text: "Hi", customerThreadId: 9001 }, true],
  [{}, { text: "Hi", customerThreadId: "9002" }, false],
])("a match for replies %j is met by %j: %s", (match, said, met) => {
  expect(fits(match, typeof said === "string" ? { text: said } : said)).toBe(met);
});

it("a match for replies is met by calls that were answered with success", () => {
  const met = [200, 202, 400, 503].map((status) => fits({}, { text: "Hi" }, status));
  expect(met).toEqual([true, true, false, false]);
});

it("a match for replies refuses an unknown template", () => {
  expect(() => asking({ template: "nope" })).toThrow(
    'there is no template "nope": known are "issue_back", "twice", "twice"',
  );
});

/** A service that contradicts the specification: each contradiction is named with its section, and nothing else is. */
import { beforeAll, expect, test } from "vitest";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { entriesOf } from "./calls.js";
import type { RecordedEntry, Session } from "./session.js";
import { recorded } from "./session.js";

async function session(s: Session): Promise<void> {
  await s.details(9001);
  await s.templates(9001);
  await s.profile("cust_001");
  await s.update("cust_001", { firstName: "Alain" });
  await s.profile("cust_001");
  await s.move("resolved");
  await s.details(9001);
  await s.send({ text: "a", contentSid: "b" });
  await s.send({ text: "Hello" });
  await s.start({ user: { email: "a@b.example" } });
  await s.start({ businessId: "2001", user: { email: "a@b.example" } });
  await s.subscribe("https://bot.example/a", ["messages"]);
  await s.post("/api/update-hook-url", { url: `${s.hook}/legacy` });
  await s.say("Hi");
  await s.remove({ email: "nobody@acme.example" });
  await s.remove({});
}

let entries: readonly RecordedEntry[] = [];
beforeAll(async () => {
  entries = await recorded({}, session);
});

/** The last exchange whose URL or body holds a text, the section that it contradicts then, and what is changed: fields, or the status. */
type Lie = readonly [of: string, section: string, change: number | object];

const DELETE = "Errors / Delete user by email";
const FOREIGN = '"businessId":"2001"';
/** Some at once, each of another exchange. */
const LIES: Readonly<Record<string, readonly Lie[]>> = {
  "a wrong status of a thread, both at once, another refusal and text, and a disabled new webhook": [
    ["thread-details", "States and transitions / Thread status", { status: "waiting" }],
    ['"contentSid":"b"', "Endpoints / Send message to a customer thread", 200],
    [FOREIGN, "Errors / Widget route", { developerMessage: "No" }],
    ["subscribedEvents", "Endpoints / Webhooks (REST)", { enabled: false }],
    ["nobody@acme", DELETE, { error: "No such user" }],
  ],
  "a field that no update named, and another success": [
    ["cust_001/profile", "Endpoints / Update customer profile", { company: "Other" }],
    ['"businessId":"1001","message"', "Endpoints / Start a conversation from the widget route", 201],
  ],
  "a template that cannot be sent, a map for a list, another field, and another status": [
    [
      "whatsapp-templates",
      "Endpoints / List WhatsApp templates",
      { templates: [{ title: "Hi", text: "Hi" }] },
    ],
    ["cust_001/profile", "Endpoints / Get customer profile", { customerData: { TIER: "gold" } }],
    [FOREIGN, "Errors / Widget route", { error: "No", developerMessage: undefined }],
    ["nobody@acme", DELETE, 400],
  ],
};

const holding = (list: readonly RecordedEntry[], text: string): number =>
  list.findLastIndex(
    ({ _direction, request }) =>
      _direction === "call" && JSON.stringify(request).replaceAll('\\"', '"').includes(text),
  );

function lied(list: readonly RecordedEntry[], [of, , change]: Lie): RecordedEntry[] {
  const index = holding(list, of);
  const { response, ...entry } = list[index] as RecordedEntry;
  const answer =
    typeof change === "number"
      ? { status: change }
      : { content: { text: JSON.stringify({ ...JSON.parse(response.content.text ?? ""), ...change }) } };
  return list.with(index, { ...entry, response: { ...response, ...answer } });
}

const contradictionsIn = (entries: readonly unknown[]) => learn(exchangesIn(entries, "session.har"));

test("an honest service contradicts nothing", async () => {
  expect(await contradictionsIn(entries)).toMatchObject({ ok: true, contradictions: [], unjudged: [] });
});

test("deliveries with fields of other types", async () => {
  const list = entries.map((entry) => {
    const { _direction, request } = entry;
    const { text = "" } = request.postData ?? {};
    if (_direction !== "delivery" || !text.includes('"Hi"')) return entry;
    const changed = text.includes("eventType")
      ? text.replace('"customerThreadId":9001', '"customerThreadId":"9001"')
      : text.replace('"customerType":"prospect"', '"customerType":"client"');
    return { ...entry, request: { ...request, postData: { text: changed } } };
  });
  const { contradictions } = await contradictionsIn(list);
  expect(contradictions.map(({ section }) => section).sort()).toEqual([
    "Events / Legacy delivery payload",
    "Events / Message event payload",
  ]);
});

test.each(Object.entries(LIES))("%s", async (_, lies) => {
  const { ok, contradictions } = await contradictionsIn(lies.reduce(lied, [...entries]));
  const expected = lies.map(([of, section]) => ({ exchange: holding(entries, of), section }));
  const found = contradictions.map(({ exchange, section }) => ({ exchange, section }));
  expect(found).toEqual(expected.sort((a, b) => a.exchange - b.exchange));
  expect(ok).toBe(false);
});

const WEBHOOK = {
  hookId: "1",
  url: "https://api.example/hook",
  enabled: true,
  subscribedEvents: ["messages", "transfers"],
  extraHeaders: [{ name: "X-Key", value: "k" }],
};
/** After a look at a thread and at the webhook: deliveries of one event, each with its status. */
function deliveredTo(webhook: object, kind: "message" | "legacy", statuses: readonly number[]) {
  const sent = entries
    .map(({ request }) => request.postData?.text ?? "")
    .find((text) => text.includes('"Hi"') && text.includes("eventType") === (kind === "message"));
  const now = Date.UTC(2026, 0, 5, 9, 0, 9);
  const event = JSON.parse(sent ?? "", (name, value) => (/timestamp$/i.test(name) ? now : value));
  return entriesOf([
    {
      line: "GET /api/get-customer-thread-details?customerThreadId=9001",
      body: { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true },
    },
    { line: "GET /api/webhooks/", body: [webhook] },
    ...statuses.map((status, index) => ({ line: "POST /hook", at: 10 + 20 * index, sent: event, status })),
  ]);
}

const LEGACY = "Events / Legacy delivery payload";
test.each([
  [
    "to a disabled webhook",
    { enabled: false },
    "message",
    [200],
    "States and transitions / Webhook enabled flag",
  ],
  ["without a header of the webhook", {}, "message", [200], "Resources and their fields / Webhook"],
  ["of a legacy webhook, a second time", {}, "legacy", [500, 200], LEGACY],
] as const)("a delivery %s", async (_, changed, kind, statuses, section) => {
  const { contradictions } = await contradictionsIn(deliveredTo({ ...WEBHOOK, ...changed }, kind, statuses));
  expect(contradictions.map((one) => one.section)).toContain(section);
});

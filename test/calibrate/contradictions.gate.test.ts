/** A service that contradicts the specification: each contradiction is named with its section, and nothing else is. */
import { beforeAll, expect, test } from "vitest";
import { readTrace } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { filesFor } from "../support/folder.js";
import { entriesOf } from "./calls.js";
import type { RecordedEntry, Session } from "./session.js";
import { recorded } from "./session.js";

const details = "/api/get-customer-thread-details?customerThreadId=9001";

async function session(s: Session): Promise<void> {
  await s.get(details);
  await s.get("/api/get-whatsapp-templates?customerThreadId=9001");
  await s.get("/api/customers/cust_001/profile");
  await s.post("/api/customers/cust_001/profile/update", { firstName: "Alain" });
  await s.get("/api/customers/cust_001/profile");
  await s.post("/api/update-thread-status", { customerThreadId: "9001", status: "resolved" });
  await s.get(details);
  await s.post("/api/send-message-to-customer-thread", {
    customerThreadId: "9001",
    text: "a",
    contentSid: "b",
  });
  await s.post("/api/send-message-to-customer-thread", { customerThreadId: "9001", text: "Hello" });
  await s.post("/api/widget/send-message-to-business", {
    businessId: "1001",
    message: "m",
    user: { email: "a@b.example" },
  });
  await s.post("/api/widget/send-message-to-business", {
    businessId: "2001",
    message: "m",
    user: { email: "a@b.example" },
  });
  await s.post("/api/webhooks/", { url: "https://bot.example/a", subscribedEvents: ["messages"] });
  await s.post("/api/update-hook-url", { url: `${s.hook}/legacy` });
  await s.people("/threads/9001/inbound", { text: "Hi" });
  await s.post("/graphql", { query: "get-hook-query" });
  await s.post("/api/user/delete-by-email", { email: "nobody@acme.example" });
  await s.post("/api/user/delete-by-email", {});
}

let entries: readonly RecordedEntry[] = [];
beforeAll(async () => {
  entries = await recorded({}, session);
});

type Body = Record<string, unknown>;
interface Lie {
  /** The exchange that is changed: the last whose URL or body holds this. */
  readonly of: string;
  readonly status?: number;
  readonly change?: (body: Body) => void;
  readonly section: string;
}

const LIES: Readonly<Record<string, Lie>> = {
  "a text for a boolean": {
    of: "thread-details",
    change: (body) => void (body.isMessagingWindowOpen = "yes"),
    section: "Endpoints / Get customer thread details",
  },
  "a status that has not changed": {
    of: "thread-details",
    change: (body) => void (body.status = "waiting"),
    section: "States and transitions / Thread status",
  },
  "a field that an update did not name": {
    of: "cust_001/profile",
    change: (body) => void (body.company = "Other"),
    section: "Endpoints / Update customer profile",
  },
  "text and template at once": {
    of: '"contentSid":"b"',
    status: 200,
    section: "Endpoints / Send message to a customer thread",
  },
  "another success of the widget": {
    of: '"businessId":"1001","message"',
    status: 201,
    section: "Endpoints / Start a conversation from the widget route",
  },
  "another refusal of a foreign business": {
    of: '"businessId":"2001"',
    status: 404,
    change: (body) => void (body.developerMessage = "No"),
    section: "Errors / Widget route",
  },
  "a new webhook that is disabled": {
    of: "subscribedEvents",
    change: (body) => void (body.enabled = false),
    section: "Endpoints / Webhooks (REST)",
  },
  "another text for an unknown user": {
    of: "nobody@acme",
    change: (body) => void (body.error = "No such user"),
    section: "Errors / Delete user by email",
  },
  "an unlisted field of a hook": {
    of: "get-hook-query",
    change: (body) => void delete ((body.data as Body).hook as Body[])[0]?.enabled,
    section: "Endpoints / Webhook operations (GraphQL)",
  },
  "a template that cannot be sent": {
    of: "whatsapp-templates",
    change: (body) => void delete (body.templates as Body[])[0]?.contentSid,
    section: "Endpoints / List WhatsApp templates",
  },
  "a map for a list": {
    of: "cust_001/profile",
    change: (body) => void (body.customerData = { TIER: "gold" }),
    section: "Endpoints / Get customer profile",
  },
  "another field for the refusal of a foreign business": {
    of: '"businessId":"2001"',
    change: (body) => {
      body.error = body.developerMessage;
      delete body.developerMessage;
    },
    section: "Errors / Widget route",
  },
  "the documented text for an unknown user, under another status": {
    of: "nobody@acme",
    status: 400,
    section: "Errors / Delete user by email",
  },
};

const holding = (list: readonly RecordedEntry[], text: string): number =>
  list.findLastIndex(
    (entry) =>
      entry._direction === "call" && JSON.stringify(entry.request).replaceAll('\\"', '"').includes(text),
  );

function lied(list: readonly RecordedEntry[], { of, status, change }: Lie): RecordedEntry[] {
  const index = holding(list, of);
  expect(index, of).toBeGreaterThanOrEqual(0);
  return list.map((entry, at) => {
    if (at !== index) return entry;
    const { response } = entry as unknown as { response: { status: number; content: { text: string } } };
    const body = JSON.parse(response.content.text);
    change?.(body);
    return {
      ...entry,
      response: { ...response, status: status ?? response.status, content: { text: JSON.stringify(body) } },
    };
  });
}

const file = filesFor("contradictions");
const contradictionsIn = async (entries: readonly unknown[]) =>
  learn(await readTrace([file("session.har", JSON.stringify({ log: { entries } }))]));

test("an honest service contradicts nothing", async () => {
  expect(await contradictionsIn(entries)).toMatchObject({ ok: true, contradictions: [], unjudged: [] });
});

test("deliveries with fields of other types", async () => {
  const list = entries.map((entry) => {
    const { request } = entry as unknown as { request: { postData?: { text: string } } };
    const isEvent = entry._direction === "delivery" && request.postData?.text.includes('"Hi"');
    if (!isEvent || request.postData === undefined) return entry;
    const text = request.postData.text.includes("eventType")
      ? request.postData.text.replace('"customerThreadId":9001', '"customerThreadId":"9001"')
      : request.postData.text.replace('"customerType":"prospect"', '"customerType":"client"');
    return { ...entry, request: { ...request, postData: { text } } };
  });
  const { contradictions } = await contradictionsIn(list);
  expect(contradictions.map(({ section }) => section).sort()).toEqual([
    "Events / Legacy delivery payload",
    "Events / Message event payload",
  ]);
});

test.each([
  ["five at once", [1, 3, 5, 6, 7]],
  ["four others", [0, 2, 4, 8]],
  ["the last four", [9, 10, 11, 12]],
])("%s", async (_, numbers) => {
  const lies = Object.values(LIES).filter((__, index) => numbers.includes(index));
  const { ok, contradictions } = await contradictionsIn(lies.reduce(lied, [...entries]));
  const expected = lies.map((lie) => ({ exchange: holding(entries, lie.of), section: lie.section }));
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
  const original = JSON.parse(
    entries
      .map(({ request }) => (request as { postData?: { text: string } }).postData?.text ?? "")
      .find((text) => text.includes('"Hi"') && text.includes("eventType") === (kind === "message")) ?? "",
  );
  const sent = JSON.parse(
    JSON.stringify(original).replaceAll(/[Tt]imestamp":\d+/g, (name) =>
      name.replace(/\d+/, `${Date.UTC(2026, 0, 5, 9, 0, 9)}`),
    ),
  );
  return entriesOf([
    {
      line: `GET ${details}`,
      body: { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true },
    },
    { line: "GET /api/webhooks/", body: [webhook] },
    ...statuses.map((status, index) => ({ line: "POST /hook", at: 10 + 20 * index, sent, status })),
  ]);
}

test.each([
  [
    "to a disabled webhook",
    { enabled: false },
    "message",
    [200],
    "States and transitions / Webhook enabled flag",
  ],
  ["without a header of the webhook", {}, "message", [200], "Resources and their fields / Webhook"],
  ["of a legacy webhook, a second time", {}, "legacy", [500, 200], "Events / Legacy delivery payload"],
] as const)("a delivery %s", async (_, changed, kind, statuses, section) => {
  const { contradictions } = await contradictionsIn(deliveredTo({ ...WEBHOOK, ...changed }, kind, statuses));
  expect(contradictions.map((one) => one.section)).toContain(section);
});

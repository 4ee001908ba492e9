/** Sessions of a sandbox, drawn at random: what people, tests and the system under test do in it. */
import fc from "fast-check";

/** Calls of both APIs, each with its bodies; a third word is the token. `{…}` is filled in. */
type Calls = Readonly<Record<string, readonly unknown[]>>;

const attachment = { uuid: "u-1", contentType: "image/png", name: "a.png", contentLength: 3 };
const reply = { customerThreadId: "{thread}", text: "{text}" };
const toBusiness = { businessId: "1001", message: "From the website" };

const SPEECH: Calls = {
  "POST /threads/{thread}/inbound": [{ text: "{text}" }, { attachment }],
  "POST /threads/{thread}/employee-message": [
    { userId: "501", text: "{text}" },
    { userId: "501", text: "{text}", internal: true },
  ],
  "POST /api/send-message-to-customer-thread": [
    reply,
    { ...reply, internal: true },
    { ...reply, odd: 1 },
    { ...reply, customerThreadId: "{number}" },
    { customerThreadId: "{thread}", contentSid: "HX00000000000000000000000000000001" },
  ],
  "POST /api/widget/send-message-to-business": [
    { ...toBusiness, user: { email: "new@customer.example" } },
    { ...toBusiness, user: { sms: "+15550100777" } },
    { ...toBusiness, user: { whatsapp: "+15551234567" } },
  ],
};

const THREADS: Calls = {
  "POST /threads/{thread}/window": [{ open: true }, { open: false }],
  "POST /threads/{thread}/transfer": [{ businessId: "1002" }, { businessId: "1001", employeeUserId: "501" }],
  "PATCH /data/threads/{thread}": [{ status: "waiting" }, { status: "resolved" }],
  "POST /api/update-thread-status": [
    { customerThreadId: "{thread}", status: "replied" },
    { customerThreadId: "{thread}", status: "closed" },
  ],
  "GET /api/get-customer-thread-details?customerThreadId={thread}": [],
  "POST /events": [
    { eventType: "message" },
    { eventType: "transfer", data: { customerThreadId: "9002" } },
    { eventType: "message", data: { customerThreadId: 9001, messageBody: "given" } },
  ],
};

const webhook = {
  subscribedEvents: ["messages", "transfers"],
  extraHeaders: [{ name: "Authorization", value: "Bearer s3cret" }],
};
const WEBHOOKS: Calls = {
  "POST /api/webhooks/": [
    { ...webhook, url: "{receiver}" },
    { ...webhook, url: "sink:demo" },
    { ...webhook, url: "https://bot.example/" },
  ],
  "GET /api/webhooks/{hook}": [],
  "POST /api/webhooks/{hook}/delete": [],
  "POST /api/webhooks/{hook}/update": [{ enabled: true }, { enabled: false }],
  "GET /api/webhooks/": [],
  "POST /api/update-hook-url": [{ url: "{receiver}" }],
  "POST /graphql": [
    { query: "save-hook-mutation", variables: { hookId: "{hook}", url: "sink:graph" } },
    { query: "get-hook-query", variables: { hookId: ["{hook}"] } },
  ],
};

const OTHERS: Calls = {
  "GET /api/customers/cust_001/profile": [],
  "POST /api/customers/cust_001/profile/update": [{ company: "Initrode" }],
  "POST /api/user/delete-by-email": [{ email: "chloe@acme.example" }],
  "POST /api/send-message-to-customer-thread": ["{ not json", '"just a text"', "null"],
  "POST /api/nothing/of%20the/kind?a=b%26c&d=": [],
  "GET /api/webhooks/ acme-no-delete": [],
  "GET /api/webhooks/ globex-token": [],
};

const ofCrm = { on: "delivery", times: 1, match: { webhookId: "crm" } };
const WORLD: Calls = {
  "POST /clock/advance": [{ by: "1s" }, { by: "1m" }, { by: 3_600_000 }, { by: "25h" }],
  "PUT /clock": [{ now: "2026-02-01T00:00:00Z" }, { frozen: true }, { now: 1_767_000_000_000 }],
  "PATCH /data/businesses/1001": [{ online: false }],
  "POST /data/customers": [{ organizationId: "200", displayName: "Zoë" }],
  "POST /data/threads": [{ businessId: "1001", customerId: "cust_001", channel: "SMS", status: "waiting" }],
  "DELETE /data/threads/{thread}?_dependent=messages": [],
  "POST /snapshots": [{ name: "one" }, { name: "two" }],
  "POST /snapshots/one/restore": [],
  "PUT /state": ["{state}"],
  "POST /deliveries/d1/replay": [],
  "POST /deliveries/d2/replay": [],
  "PATCH /behaviour": [
    { "delivery.attempts": 3, "delivery.backoff": ["1m", "1h"] },
    { "window.duration": "1h" },
    { "timestamps.unit": "s" },
    { "threads.notFound": { status: 410, body: { gone: "${customerThreadId}" } } },
    { "delivery.signature": { scheme: "standard-webhooks", secrets: ["whsec_c2VjcmV0"] } },
    {},
  ],
  "POST /faults": [
    { on: "request", times: 1, then: "unavailable" },
    { on: "request", times: 1, match: { operation: "getWebhook" }, then: "hang-up" },
    { on: "request", times: 1, then: { malformed: true } },
    { ...ofCrm, then: "unavailable" },
    { ...ofCrm, then: { drop: "before" } },
    { ...ofCrm, then: { drop: "after" } },
    { ...ofCrm, then: { answerLost: true } },
    { ...ofCrm, then: { copy: { payload: { data: null } } } },
    { on: "delivery", times: 2, match: { eventType: "message" }, then: { status: 500 } },
  ],
  "DELETE /faults": [],
  "DELETE /faults/f1": [],
  "PUT /sinks/demo": [{ status: 200 }, { status: 500 }],
};

const drawn = (weight: number, calls: Calls) => {
  const all = Object.entries(calls).flatMap(([line, bodies]) =>
    (bodies.length === 0 ? [undefined] : bodies).map((body) => ({ line, body })),
  );
  return { weight, arbitrary: fc.constantFrom(...all) };
};

/** What a sandbox may begin with, and what is done in it. */
export const sessions = fc.record({
  start: fc.constantFrom<object>(
    {},
    { behaviour: "realistic" },
    { seed: 42, behaviour: { "window.duration": "24h" } },
    { behaviour: { "delivery.attempts": 2, "delivery.backoff": ["1m"] } },
  ),
  /** The first webhook leads outside the simulator. */
  outside: fc.boolean(),
  /** The clock stands, or time passes. */
  frozen: fc.constantFrom<object>({ clock: "2026-01-01T09:00:00Z" }, { clock: "2026-01-01T09:00:00Z" }, {}),
  acts: fc.array(
    fc.record({
      call: fc.oneof(
        drawn(5, SPEECH),
        drawn(2, THREADS),
        drawn(2, WEBHOOKS),
        drawn(1, OTHERS),
        drawn(3, WORLD),
      ),
      thread: fc.constantFrom("9001", "9001", "9001", "9002", "9003", "none"),
      hook: fc.constantFrom("crm", "crm", "nobody"),
      text: fc.constantFrom("Hello", "Hi ${thread}", "$${x} ${", "555", "ünï: - #\n two", "Hello"),
      /** Names what the session made last, if it has made a thread or a webhook. */
      isOfNewest: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  ),
});

/** A line or body with its names filled in. */
export const filled = <T>(value: T, names: Readonly<Record<string, unknown>>): T =>
  JSON.parse(JSON.stringify(value), (_, part) => {
    if (typeof part !== "string") return part;
    const [, whole = ""] = /^\{(\w+)\}$/.exec(part) ?? [];
    return names[whole] ?? part.replace(/\{(\w+)\}/g, (all, name) => String(names[name] ?? all));
  });

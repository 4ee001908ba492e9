/** Sessions of a sandbox, drawn at random: what people, tests and the system under test do in it. */
import fc from "fast-check";
import type { Answer, Running } from "../support/simulator.js";

/** A sandbox in which a session takes place, and what has come of it so far. */
export interface Stage {
  readonly sim: Running;
  readonly sandbox: string;
  /** A receiver outside the simulator. */
  readonly receiver: string;
  readonly threads: string[];
  readonly hooks: string[];
}

export type Act = (stage: Stage) => Promise<unknown>;

const SEND = "POST /api/send-message-to-customer-thread";

const control = ({ sim, sandbox }: Stage, call: string, body?: unknown): Promise<Answer> => {
  const [method, path] = call.split(" ");
  return sim.control(`${method} /sandboxes/${sandbox}${path}`, body);
};
const api = (
  { sim, sandbox }: Stage,
  call: string,
  body?: unknown,
  token = "acme-token",
): Promise<Answer | undefined> =>
  sim.api(call, body, { token: `${sandbox}.${token}` }).catch(() => undefined);

const plainly =
  (call: string, body?: unknown): Act =>
  (stage) =>
    control(stage, call, body);
const calling =
  (call: string, body?: unknown): Act =>
  (stage) =>
    api(stage, call, body);

/** What is done with values that are drawn. */
const acting = <Drawn>(
  drawn: fc.Arbitrary<Drawn>,
  act: (stage: Stage, drawn: Drawn) => Promise<unknown>,
): fc.Arbitrary<Act> => drawn.map((value) => (stage) => act(stage, value));

/** A thread of the fixture, or one that was made on the way. */
const thread = fc.tuple(fc.constantFrom("9001", "9001", "9001", "9002", "9003", "none"), fc.nat(3)).map(
  ([fixed, made]) =>
    (stage: Stage) =>
      made < 2 ? fixed : (stage.threads.at(-1) ?? fixed),
);
const text = fc.constantFrom("Hello", "Hi ${thread}", "$${x} ${", "555", "ünï: - #\n two", "Hello");
const duration = fc.constantFrom<string | number>("1s", "1m", 3_600_000, "25h");
const someHook = fc
  .constantFrom("crm", "crm", "nobody")
  .chain((fixed) =>
    fc.boolean().map((made) => (stage: Stage) => (made ? (stage.hooks.at(-1) ?? fixed) : fixed)),
  );

const speech = [
  acting(fc.tuple(thread, text), (stage, [of, said]) =>
    control(stage, `POST /threads/${of(stage)}/inbound`, { text: said }),
  ),
  acting(thread, (stage, of) => {
    const attachment = { uuid: "u-1", contentType: "image/png", name: "a.png", contentLength: 3 };
    return control(stage, `POST /threads/${of(stage)}/inbound`, { attachment });
  }),
  acting(fc.tuple(thread, text, fc.boolean()), (stage, [of, said, internal]) => {
    const body = { userId: "501", text: said, internal };
    return control(stage, `POST /threads/${of(stage)}/employee-message`, body);
  }),
  acting(
    fc.tuple(thread, text, fc.constantFrom<object>({}, { internal: true }, { odd: 1 })),
    (stage, [of, said, more]) => api(stage, SEND, { customerThreadId: of(stage), text: said, ...more }),
  ),
  acting(fc.tuple(thread, text), (stage, [of, said]) =>
    api(stage, SEND, { customerThreadId: Number(of(stage)) || 1, text: said }),
  ),
  acting(thread, (stage, of) => {
    const contentSid = "HX00000000000000000000000000000001";
    return api(stage, SEND, { customerThreadId: of(stage), contentSid });
  }),
  acting(
    fc.constantFrom<object>(
      { email: "new@customer.example" },
      { sms: "+15550100777" },
      { whatsapp: "+15551234567" },
    ),
    async (stage, user) => {
      const body = { businessId: "1001", message: "From the website", user };
      const answer = await api(stage, "POST /api/widget/send-message-to-business", body);
      if (answer?.status === 200) stage.threads.push(answer.body.customerThreadId);
    },
  ),
];

const threads = [
  acting(fc.tuple(thread, fc.boolean()), (stage, [of, open]) =>
    control(stage, `POST /threads/${of(stage)}/window`, { open }),
  ),
  acting(
    fc.tuple(
      thread,
      fc.constantFrom<object>({ businessId: "1002" }, { businessId: "1001", employeeUserId: "501" }),
    ),
    (stage, [of, body]) => control(stage, `POST /threads/${of(stage)}/transfer`, body),
  ),
  acting(fc.tuple(thread, fc.constantFrom("waiting", "resolved")), (stage, [of, status]) =>
    control(stage, `PATCH /data/threads/${of(stage)}`, { status }),
  ),
  acting(fc.tuple(thread, fc.constantFrom("replied", "closed")), (stage, [of, status]) =>
    api(stage, "POST /api/update-thread-status", { customerThreadId: of(stage), status }),
  ),
  acting(thread, (stage, of) =>
    api(stage, `GET /api/get-customer-thread-details?customerThreadId=${of(stage)}`),
  ),
  fc
    .constantFrom<object>({}, { customerThreadId: "9002" }, { customerThreadId: 9001, messageBody: "given" })
    .chain((data) =>
      fc.constantFrom("message", "transfer").map((eventType) => plainly("POST /events", { eventType, data })),
    ),
];

const webhooks = [
  acting(
    fc.constantFrom("sink:demo", "sink:other", "https://bot.example/", "receiver", "receiver"),
    async (stage, url) => {
      const answer = await api(stage, "POST /api/webhooks/", {
        url: url === "receiver" ? stage.receiver : url,
        subscribedEvents: ["messages", "transfers"],
        extraHeaders: [{ name: "Authorization", value: "Bearer s3cret" }],
      });
      if (answer?.status === 200) stage.hooks.push(answer.body.hookId);
    },
  ),
  acting(someHook, (stage, of) => api(stage, `GET /api/webhooks/${of(stage)}`)),
  acting(someHook, (stage, of) => api(stage, `POST /api/webhooks/${of(stage)}/delete`)),
  acting(fc.tuple(someHook, fc.boolean()), (stage, [of, enabled]) =>
    api(stage, `POST /api/webhooks/${of(stage)}/update`, { enabled }),
  ),
  fc.constant(calling("GET /api/webhooks/")),
  fc.constant<Act>((stage) => api(stage, "POST /api/update-hook-url", { url: stage.receiver })),
  acting(someHook, (stage, of) => {
    const variables = { hookId: of(stage), url: "sink:graph" };
    return api(stage, "POST /graphql", { query: "save-hook-mutation", variables });
  }),
  acting(someHook, (stage, of) =>
    api(stage, "POST /graphql", { query: "get-hook-query", variables: { hookId: [of(stage)] } }),
  ),
];

const others = [
  fc.constant(calling("GET /api/customers/cust_001/profile")),
  fc.constant(calling("POST /api/customers/cust_001/profile/update", { company: "Initrode" })),
  fc.constant(calling("POST /api/user/delete-by-email", { email: "chloe@acme.example" })),
  fc.constant(calling(SEND, "{ not json")),
  fc.constant(calling(SEND, '"just a text"')),
  fc.constant(calling(SEND, "null")),
  fc.constant(calling("POST /api/nothing/of%20the/kind?a=b%26c&d=")),
  acting(fc.constantFrom("acme-no-delete", "globex-token"), (stage, token) =>
    api(stage, "GET /api/webhooks/", undefined, token),
  ),
];

const world = [
  duration.map((by) => plainly("POST /clock/advance", { by })),
  fc
    .constantFrom<object>({ now: "2026-02-01T00:00:00Z" }, { frozen: true }, { now: 1_767_000_000_000 })
    .map((body) => plainly("PUT /clock", body)),
  fc.constant(plainly("PATCH /data/businesses/1001", { online: false })),
  fc.constant(plainly("POST /data/customers", { organizationId: "200", displayName: "Zoë" })),
  fc.constant<Act>(async (stage) => {
    const body = { businessId: "1001", customerId: "cust_001", channel: "SMS", status: "waiting" };
    const answer = await control(stage, "POST /data/threads", body);
    if (answer.status === 201) stage.threads.push(answer.body.id);
  }),
  acting(thread, (stage, of) => control(stage, `DELETE /data/threads/${of(stage)}?_dependent=messages`)),
  fc.constantFrom("one", "two").map((name) => plainly("POST /snapshots", { name })),
  fc.constantFrom("one", "two").map((name) => plainly(`POST /snapshots/${name}/restore`)),
  fc.constant<Act>(async (stage) => control(stage, "PUT /state", (await control(stage, "GET /state")).body)),
  fc.constantFrom("d1", "d2").map((id) => plainly(`POST /deliveries/${id}/replay`)),
  fc
    .constantFrom<object>(
      { "delivery.attempts": 3, "delivery.backoff": ["1m", "1h"] },
      { "window.duration": "1h" },
      { "timestamps.unit": "s" },
      { "threads.notFound": { status: 410, body: { gone: "${customerThreadId}" } } },
      { "delivery.signature": { scheme: "standard-webhooks", secrets: ["whsec_c2VjcmV0"] } },
      {},
    )
    .map((values) => plainly("PATCH /behaviour", values)),
  fc
    .constantFrom<object>(
      { on: "request", times: 1, then: "unavailable" },
      { on: "request", times: 1, match: { operation: "getWebhook" }, then: "hang-up" },
      { on: "request", times: 1, then: { malformed: true } },
      { on: "delivery", times: 1, match: { webhookId: "crm" }, then: "unavailable" },
      { on: "delivery", times: 1, match: { webhookId: "crm" }, then: { drop: "before" } },
      { on: "delivery", times: 1, match: { webhookId: "crm" }, then: { drop: "after" } },
      { on: "delivery", times: 1, match: { webhookId: "crm" }, then: { answerLost: true } },
      { on: "delivery", times: 1, match: { webhookId: "crm" }, then: { copy: { payload: { data: null } } } },
      { on: "delivery", times: 2, match: { eventType: "message" }, then: { status: 500 } },
    )
    .map((rule) => plainly("POST /faults", rule)),
  fc.constantFrom("/faults", "/faults/f1").map((path) => plainly(`DELETE ${path}`)),
  fc.constantFrom(200, 500).map((status) => plainly("PUT /sinks/demo", { status })),
];

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
    fc.oneof(
      { weight: 5, arbitrary: fc.oneof(...speech) },
      { weight: 2, arbitrary: fc.oneof(...threads) },
      { weight: 2, arbitrary: fc.oneof(...webhooks) },
      { weight: 1, arbitrary: fc.oneof(...others) },
      { weight: 3, arbitrary: fc.oneof(...world) },
    ),
    { minLength: 1, maxLength: 20 },
  ),
});

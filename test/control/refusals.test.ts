/** Calls that are refused: each says where the problem is, and changes nothing. */
import { expect, it } from "vitest";
import { type Caller, openSandbox, startSimulator } from "../support/simulator.js";
import { HOOK, THREAD } from "./support.js";

/** A status; or one of the places that a 400 names, or all of them. */
type Refusal = number | string | string[];

type Row = [call: string, body: unknown, refusal: Refusal, message?: string, status?: number];

const AT = Date.parse("2026-01-01T09:00:00Z");
const USER = { id: "7", organizationId: "200", displayName: "A", businessIds: [] };
const MANY = Array(10_001).fill(1);
const MESSAGES = ["555014", "555015", "555016"];
const STEPS = Array(10_001).fill({ log: "x" });

/** An object with this many levels. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const onRequest = (then: object) => ({ on: "request", then });
const onDelivery = (then: object) => ({ on: "delivery", then });
const slow = (on: string, match: object) => ({ on, match, then: "slow" });
const reply = (asked: object) => ({ for: { reply: { thread: "9001", ...asked } } });
const threads = (values: object) => ({ for: { state: { collection: "threads", values } } });

/** Matches that would take long to compare, and where. */
const TOO_LONG: [place: string, requests: object][] = [
  ["requests.body.text.$regex", { body: { text: { $regex: "x".repeat(1_001) } } }],
  ["requests.body.text.$regex", { body: { text: { $regex: "^(a?b?){990}$" } } }],
  ["requests.body.text.$contains", { body: { text: { $contains: "x".repeat(1_001) } } }],
  ["requests.path", { path: "/x".repeat(501) }],
  ["requests", { body: { text: { $oneOf: Array.from({ length: 1_001 }, (_, at) => at) } } }],
];

const BODIES: Record<string, [body: unknown, refusal: Refusal, message?: string][]> = {
  "POST /sandboxes": [
    [{ id: "default" }, 409],
    [{ id: "a b" }, "id"],
    [{ id: "x".repeat(65) }, "id"],
    [{ ttlMs: 0 }, "ttlMs"],
    [{ ttlMs: 1e12 }, "ttlMs"],
    [{ clock: -1 }, "clock"],
    [{ fixture: {} }, "fixture"],
    [
      { clock: "x", behaviour: { nothing: 1 }, fixtures: { tokens: [{ id: "t", userId: "1" }] } },
      ["fixtures.tokens[0].userId", "behaviour.nothing", "clock"],
    ],
  ],
  "POST /reset": [[{ clock: "noon" }, "clock"]],
  "POST /scenarios/run": [
    [{ scenario: { steps: STEPS } }, ["steps"]],
    [{ scenario: { steps: [{ repeat: { times: 1, steps: STEPS } }] } }, ["steps[0].repeat.steps"]],
    [{ scenario: { steps: [{ repeat: { times: 1e9, steps: [] } }] } }, ["steps[0].repeat.times"]],
    [
      { scenario: { behaviour: { "window.duration": "x" }, steps: [{ log: "x" }] } },
      ['behaviour["window.duration"]'],
    ],
    [{ scenario: { fixtures: { threads: [{}] }, steps: [{ log: "x" }] } }, "fixtures.threads[0].businessId"],
    [{ scenario: { fixtures: "a.json", steps: [{ log: "x" }] } }, ["fixtures"], "must be a fixture here"],
    [{ name: "message-event", scenario: { steps: [{ log: "x" }] } }, 400],
    [{ scenario: { steps: [] } }, ["steps"], "must not be empty"],
    [{}, [""], "needs a name or a scenario"],
    [{ scenario: 7 }, [""], "must be a scenario with steps, but is a number"],
  ],
  "PUT /sandboxes/a.b": [[{}, "sandbox"]],
  "PUT /sandboxes/a": [[{ id: "b" }, "id"]],
  "PUT /state": [
    [
      { organizations: [{ id: "1", name: 2 }], tokens: [{ id: "t", userId: "9" }], extra: [] },
      ["extra", "organizations[0].name", "tokens[0].userId"],
    ],
    ["[]", 400],
    [undefined, 400],
  ],
  "POST /snapshots": [[{ name: "" }, 400]],
  "POST /data/threads": [
    [{ ...THREAD, id: "9001" }, 409],
    [{ ...THREAD, customerId: "nobody" }, ["customerId"]],
    [{ ...THREAD, customerId: "cust_101" }, ["customerId"]],
  ],
  "POST /data/organizations": [
    [{ name: "No id" }, ["id"]],
    [{ id: "200", name: "Twice" }, 409],
  ],
  "POST /data/users": [[{ ...USER, email: "ANA@acme.example" }, 409]],
  "POST /data/webhooks": [[{ ...HOOK, hookId: "crm" }, 409]],
  "POST /data/customers": [[{ organizationId: "200", emailAddress: "nobody" }, ["emailAddress"]]],
  "PATCH /data/threads/9001": [
    [{ status: "new" }, 400],
    [{ id: "9009" }, 400],
    [{ businessId: "2001" }, 400],
  ],
  "PATCH /data/threads/1": [[{ status: "waiting" }, 404]],
  "PUT /data/threads/1": [[THREAD, 404]],
  "PUT /data/threads/9001": [[{ status: "waiting" }, 400]],
  "PATCH /data/users/501": [[{ email: "bruno@acme.example" }, 409]],
  "PATCH /data/businesses/1001": [[{ organizationId: "300", escalationPool: [] }, 409]],
  "PATCH /data/customers/cust_001": [
    [
      { organizationId: "300" },
      409,
      'to another organization: threads["9001"].customerId: refers to "cust_001"',
    ],
  ],
  "PATCH /behaviour": [
    [{ "timestamps.unit": "m", "delivery.attempts": 0 }, ['["timestamps.unit"]', '["delivery.attempts"]']],
    [{ "timestamp.unit": "ms", "delivery.backoff": [] }, ['["timestamp.unit"]', '["delivery.backoff"]']],
  ],
  "PUT /clock": [
    [{}, 400],
    [{ now: 1e18 }, 400],
    [{ by: "1h" }, 400],
  ],
  "POST /clock/advance": [
    [{}, ["by"]],
    [{ by: "-1h" }, ["by"]],
    [{ by: null }, ["by"]],
    [{ by: `${"9".repeat(400)}d` }, ["by"]],
    [{ by: 0.5 }, ["by"]],
  ],
  "POST /threads/9001/inbound": [
    [{}, 400],
    [{ text: "" }, 400],
    [{ text: "Hi", extra: 1 }, 400],
  ],
  "POST /threads/1/inbound": [[{ text: "Hi" }, 404]],
  "POST /threads/1/employee-message": [[{ userId: "501", text: "Hi" }, 404]],
  "POST /threads/9002/employee-message": [[{ userId: "501", text: "Hi" }, 409]],
  "POST /threads/9005/employee-message": [[{ userId: "501", text: "Hi" }, 409, 'user "501" may not access']],
  "POST /threads/9001/employee-message": [
    [{ userId: "601", text: "Hi" }, 404, '"601" in the thread\'s organization; users: 501, 502, 503, 504'],
    [{ userId: "501" }, 400],
    [{ userId: "501", text: "Hi", contentSid: "HX1" }, ["contentSid"]],
  ],
  "POST /threads/1/window": [[{ open: true }, 404]],
  "POST /threads/9001/window": [[{ open: "yes" }, "open"]],
  "POST /threads/1/transfer": [[{ businessId: "1002" }, 404]],
  "POST /threads/9001/transfer": [
    [{ businessId: "1" }, 404],
    [{ businessId: "1001" }, 409],
    [{ businessId: "2001" }, 409],
    [{ businessId: "1002", employeeUserId: "9" }, 404, 'no user "9"'],
    [{ businessId: "1002", employeeUserId: "601" }, 404, 'no user "601"'],
  ],
  "POST /events": [
    [{ eventType: "message" }, 400],
    [{ eventType: "message", data: { customerThreadId: true } }, 400],
    [{ eventType: "transfer", data: {}, legacy: true }, 400],
    [{ eventType: "message", data: { customerThreadId: "1" } }, 404],
  ],
  "POST /connect": [
    [{}, ["url"]],
    [{ url: "nowhere" }, ["url"]],
    [{ url: "sink:bot", header: "a b" }, ["header"]],
    [{ url: "sink:bot", headers: {} }, ["headers"]],
  ],
  "PUT /sinks/mine": [
    [{ status: 99 }, "status"],
    [{ delayMs: -1 }, "delayMs"],
    [{ state: 200 }, "state"],
  ],
  "POST /faults": [
    [{ then: "slow" }, "on"],
    [{ on: "request", then: "slwo" }, "then"],
    [{ on: "delivery", then: "token-expired" }, "then", "token-expired"],
    [{ on: "request", then: "bad-signature" }, "then", "bad-signature"],
    [{ on: "request", then: "stale-signature" }, "then", "stale-signature"],
    [onRequest({}), "then", "must name an effect, such as status, delayMs or drop"],
    [onRequest({ statsu: 500 }), "then.statsu", 'unknown field "statsu": did you mean "status"?'],
    [onRequest({ status: 99 }), "then.status", "must be at least 200"],
    [onRequest({ delayMs: -1 }), "then.delayMs"],
    [onRequest({ delayMs: { min: 5, max: 2 } }), "then.delayMs.min", "greater than max, 2, but is 5"],
    [onRequest({ delayMs: { min: 5 } }), "then.delayMs.max"],
    [onRequest({ headers: { "a b": "x" } }), 'then.headers["a b"]'],
    [onRequest({ headers: { a: "x\r\ny: z" } }), "then.headers.a"],
    [onRequest({ drop: "during" }), "then.drop", "must be one of before, after"],
    [onRequest({ duplicate: 1 }), "then.duplicate", "applies to a delivery, not to a request"],
    [onRequest({ reorder: true }), "then.reorder", "applies to a delivery, not to a request"],
    [onDelivery({ tokenExpired: true }), "then.tokenExpired", "applies to a request, not to a delivery"],
    [onDelivery({ duplicate: 0 }), "then.duplicate"],
    [
      {
        ...slow("request", { webhookId: { $gt: "1" } }),
        then: { delayMs: { min: 2, max: 1 }, reorder: true },
      },
      ["match.webhookId", "match.webhookId.$gt", "then.reorder", "then.delayMs.min"],
    ],
    [{ ...slow("request", {}), probability: 1.5 }, "probability"],
    [{ ...slow("request", {}), every: 0 }, "every"],
    [{ ...slow("request", {}), times: 0 }, "times"],
    [{ ...slow("request", {}), after: -1 }, "after"],
    [{ ...slow("request", {}), match: "POST" }, "match"],
    [{ ...slow("request", {}), id: "f1" }, "id"],
    [slow("request", { pth: "/api/*" }), "match.pth", 'unknown field "pth": did you mean "path"?'],
    [slow("request", { eventType: "message" }), "match.eventType", 'unknown request field "eventType"'],
    [slow("delivery", { path: "/" }), "match.path", 'unknown delivery field "path"'],
    [slow("request", { body: { $regx: "x" } }), "match.body.$regx", 'unknown operator "$regx"'],
    [onRequest({ payload: {} }), "then.payload"],
    [onRequest({ copy: true }), "then.copy"],
    [onDelivery({ refusal: "invalid" }), "then.refusal"],
    [onDelivery({ payload: ["eventType"] }), "then.payload"],
    [onDelivery({ payload: nested(51) }), "then.payload"],
    [onDelivery({ payload: { text: "x".repeat(65_536) } }), "then.payload"],
    [onDelivery({ payload: { list: Array(10_000).fill(0) } }), "then.payload"],
    [onDelivery({ signature: "good" }), "then.signature"],
    [onRequest({ headers: { a: "x".repeat(10_000) } }), ["then.headers.a"]],
    [
      onRequest({ headers: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, "x"])) }),
      ["then.headers"],
    ],
    [slow("request", { body: MANY }), ["match"]],
    [{ ...slow("request", {}), times: 1e12 }, ["times"]],
    [{ ...slow("request", {}), every: 1e12 }, ["every"]],
    [slow("request", { operation: "getWebhok" }), "match.operation", 'did you mean "getWebhook"?'],
    [slow("delivery", { eventType: "transfers" }), "match.eventType", 'did you mean "transfer"?'],
  ],
  "POST /wait": [
    [{ for: "peace" }, "for"],
    [{}, "for"],
    [{ for: "idle", timeoutMs: 600_001 }, "timeoutMs"],
    [{ for: { requests: {}, count: 0 } }, "for.count"],
    [{ for: { requests: {}, count: 1e12 } }, ["for.count"]],
    [{ for: { requests: { body: MANY } } }, ["for.requests"]],
    [{ for: { requests: {}, since: "r9" } }, ["for.since"]],
    ...TOO_LONG.map(([place, requests]): [object, string] => [{ for: { requests } }, `for.${place}`]),
    [{ for: { requests: { body: { $like: "x" } } } }, "for.requests.body.$like"],
    [{ for: { requests: { colour: "red" } } }, "for.requests.colour"],
    [
      { for: { requests: { operation: "sendMesage" } } },
      "for.requests.operation",
      'unknown operation "sendMesage": did you mean "sendMessageToCustomerThread"?',
    ],
    [{ for: { deliveries: { path: "/" } } }, "for.deliveries.path"],
    [
      { for: { deliveries: { eventType: "messages" } } },
      "for.deliveries.eventType",
      'unknown event type "messages": did you mean "message"?',
    ],
    [{ for: { state: { collection: "thread", values: {} } } }, "for.state.collection"],
    [{ for: { state: { collection: "threads" } } }, "for.state.values"],
    [threads({ state: "waiting" }), "for.state.values.state"],
    [threads({ status: "closed" }), "for.state.values.status"],
    [reply({ thread: "1" }), 404, '"1"'],
  ],
  "POST /verify": [
    [{}, ""],
    [{ requests: {}, deliveries: {} }, "deliveries"],
    [{ requests: {}, count: -1 }, "count"],
    [{ requests: {}, count: 1e12 }, ["count"]],
    [{ requests: { body: nested(51) } }, ["requests"]],
    ...TOO_LONG.map(([place, requests]): [object, string] => [{ requests }, place]),
    [{ requests: {}, count: { min: 3, max: 2 } }, "count.min"],
    [{ requests: { status: { $gt: "1" } } }, "requests.status.$gt"],
    [{ requests: { method: "post" } }, "requests.method", 'unknown method "post": did you mean "POST"?'],
    [{ requests: { status: "400" } }, "requests.status", "must be an HTTP status"],
    [{ requests: { by: "cleint" } }, "requests.by", 'did you mean "client"?'],
    [
      { requests: { operation: { $not: "updateThreadStatos" } } },
      "requests.operation.$not",
      'did you mean "updateThreadStatus"?',
    ],
  ],
};

const WITHOUT_BODIES: [call: string, refusal: Refusal, message?: string, status?: number][] = [
  ["PUT /reset", 405],
  ["DELETE /sandboxes/default", 409],
  ["GET /sandboxes/default/metrics", 404],
  ["DELETE /sandboxes/none", 404],
  ["POST /snapshots/none/restore", 404],
  ["DELETE /snapshots/none", 404],
  ["GET /data/constructor", 404, "threads"],
  ["DELETE /data/thread/1", 404, "threads"],
  ["DELETE /data/threads/1", 404],
  ["GET /data/threads/constructor", 404],
  ["DELETE /data/threads/9003", MESSAGES.map((id) => `messages["${id}"].threadId`), "", 409],
  ["DELETE /data/templates/HX00000000000000000000000000000002", ['messages["555022"].contentSid'], "", 409],
  ["DELETE /data/users/502", ['businesses["1002"].escalationPool'], "", 409],
  ["DELETE /data/customers/cust_003", ['threads["9003"].customerId'], "", 409],
  ["GET /threads/1/transcript", 404],
  ["GET /threads/9001/transcript?format=html", "format"],
  ["GET /sinks/mine/received?since=x", "since"],
  ["GET /requests?since=x", ["since"]],
  ["GET /requests?since=d1", ["since"]],
  ["GET /requests?limit=0", ["limit"]],
  ["GET /requests?status=ok", ["status"]],
  ["GET /requests?by=sut", ["by"], "must be one of client, scenario"],
  ["GET /requests?operation=createWebook", ["operation"], 'did you mean "createWebhook"?'],
  ["GET /requests?method=POTS", ["method"], 'did you mean "POST"?'],
  ["GET /deliveries?eventType=messages", ["eventType"], "must be one of message, transfer"],
  ["GET /deliveries?status=sent", ["status"], "must be one of pending, delivered"],
  ["GET /deliveries?method=GET", ["method"]],
  ["GET /changes?since=r1", ["since"]],
  ["POST /deliveries/d9/replay", 404],
  ["POST /webhooks/none/ping", 404],
  ["DELETE /faults/f9", 404],
];

const ROWS: Row[] = [
  ...Object.entries(BODIES).flatMap(([call, rows]) => rows.map((row): Row => [call, ...row])),
  ...WITHOUT_BODIES.map(([call, ...refusal]): Row => [call, undefined, ...refusal]),
];

/** Makes a call and expects an error in the usual form. */
async function expectRefused(
  { control }: Caller,
  ...[call, body, refusal, message = "", expected = 400]: Row
): Promise<void> {
  const { status, body: answer } = await control(call, body);
  const error = {
    code: expect.stringMatching(/^[a-z-]+$/),
    message: expect.stringContaining(message),
    details: status === 400 ? expect.arrayContaining([expect.anything()]) : expect.any(Array),
  };
  expect([call, status, answer]).toEqual([call, typeof refusal === "number" ? refusal : expected, { error }]);
  const { details } = answer.error;
  for (const detail of details)
    expect(detail).toEqual({ path: expect.any(String), message: expect.any(String) });
  const places = details.map(({ path }: { path: string }) => path);
  if (typeof refusal === "string") expect(places).toContain(refusal);
  if (typeof refusal === "object") expect(places).toEqual(refusal);
}

/** Everything that a call could change. */
const everythingIn = ({ control }: Pick<Caller, "control">) =>
  Promise.all(EVERYTHING.map(async (route) => (await control(`GET /${route}`)).body));
const EVERYTHING =
  "state start clock behaviour faults requests deliveries warnings controls changes snapshots".split(" ");

const NAMED = ROWS.map((row) => [`${row[0]} ${JSON.stringify(row[1]) ?? ""}`.slice(0, 120), row] as const);
it.each(NAMED)("%s is refused and changes nothing", async (_, row) => {
  const sandbox = await openSandbox({ clock: AT });
  const before = await everythingIn(sandbox);
  await expectRefused(sandbox, ...row);
  expect(await everythingIn(sandbox)).toEqual(before);
});

it("each is refused in the same way in the sandbox `default`", async () => {
  const sim = await startSimulator({ clock: AT });
  const before = await everythingIn(sim);
  for (const row of ROWS) await expectRefused(sim, ...row);
  expect(sim.registry.default.openWaits).toBe(0);
  expect(await everythingIn(sim)).toEqual(before);
});

it("accepts unknown values in operators, null, and methods in any case", async () => {
  const { control } = await openSandbox();
  const requests = { operation: { $regex: "^send" }, method: { $any: "string" }, status: { $lt: 0 } };
  const none = { operation: null, status: null, method: "PROPFIND" };
  for (const match of [requests, none])
    expect((await control("POST /verify", { requests: match, count: 0 })).status).toBe(200);
  expect((await control("GET /requests?method=post&operation=graphql")).status).toBe(200);
});

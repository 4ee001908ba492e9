/** For each policy of webhooks and deliveries: a value, what is seen with it, and where. The default must show something else. */
import {
  DETAILS,
  graphql,
  HOOK,
  HOOKS,
  hooks,
  inbound,
  LEGACY,
  received,
  send,
} from "../../conformance/support.js";
import { receiver } from "../../delivery/support.js";
import { problemsIn } from "../../support/problems.js";
import type { Answer, Caller } from "../../support/simulator.js";
import {
  answered,
  api,
  type Call,
  create,
  EMPTY,
  given,
  NOTE,
  type Observe,
  type Row,
  refusal,
  row,
  statuses,
  told,
  update,
} from "../calls.js";

/** What is said of these subscriptions, of a new webhook and of one that is there. */
const subscribing =
  (...subscribedEvents: string[]): Observe =>
  async (s) => [await told(create({ subscribedEvents }))(s), (await update({ subscribedEvents })(s)).status];
/** The flag of a GraphQL delete, and how many webhooks are left. */
const deleting =
  (...hookId: string[]): Observe =>
  async (s) => {
    const { body } = await graphql(s, "delete-hook-mutation", { hookId });
    return [body.data.deleteHook.flag, (await hooks(s)).length];
  };

const lastDelivery = async ({ control }: Caller) => {
  await control("POST /wait", { for: "idle" });
  return (await control("GET /deliveries")).body.at(-1);
};
/** What is told of a message of the customer, or of something else that is done. */
const delivered =
  <T>(look: (delivery: Answer["body"]) => T, act: (s: Caller) => Promise<unknown> = inbound) =>
  async (s: Caller): Promise<T> => {
    await act(s);
    return look(await lastDelivery(s));
  };
/** What a legacy webhook is told of a customer's message. */
const legacyBody = async (s: Caller) => {
  await s.api(LEGACY, { url: "sink:legacy" });
  return delivered(({ body }) => body)(s);
};
/** The delivery of a message whose first attempt fails, an hour later. */
const retried = async (s: Caller, meanwhile: Call = api(DETAILS)) => {
  await s.control("PUT /clock", { frozen: true });
  await s.control("PUT /sinks/demo", { status: 500 });
  await inbound(s);
  await lastDelivery(s);
  await meanwhile(s);
  await s.control("POST /clock/advance", { by: "1h" });
  return lastDelivery(s);
};

export const WEBHOOKS: readonly Row[] = [
  row("timestamps.unit", "s", 10, async (s) => {
    await inbound(s);
    return String((await lastDelivery(s)).body.timestamp).length;
  }),
  row("webhooks.response", "wrapped", ["webhooks"], async (s) => Object.keys(await hooks(s))),
  row("graphql.errors", "plain", ["message"], async (s) =>
    Object.keys((await graphql(s, "x")).body.errors[0]),
  ),
  answered("graphql.errorStatus", "ok", [[(s) => graphql(s, "x"), 200]]),
  answered("webhooks.insecureUrls", "reject", [
    [create({ url: "http://127.0.0.1:1/" }), 400],
    [update({ url: "http://127.0.0.1:1/" }), 400],
  ]),
  row("webhooks.insecureUrls", "allow", [200], statuses(create({ url: "http://bot.example/" }))),
  row(
    "webhooks.emptySubscriptions",
    "reject",
    [[400, refusal("@.subscribedEvents", EMPTY), 1], 400],
    subscribing(),
  ),
  row("graphql.deleteUnknown", "skip", [true, 0], deleting("none", "crm")),
  row(
    "webhooks.graphqlEvents",
    [],
    [],
    given({ "webhooks.emptySubscriptions": "reject" }, async (s) => {
      await graphql(s, "save-hook-mutation", { hookId: "g", url: HOOK.url });
      return (await s.api(`GET ${HOOKS}g`)).body.subscribedEvents;
    }),
  ),
  row("webhooks.pendingAfterDisable", "send", ["failed", 2, null], async (s) => {
    await s.control("PATCH /behaviour", { "delivery.attempts": 2 });
    const { status, attempts, reason } = await retried(s, update({ enabled: false }));
    return [status, attempts.length, reason];
  }),
  row("delivery.attempts", 2, 2, async (s) => (await retried(s)).attempts.length),
  row("delivery.timeoutMs", 50, "failed", async (s) => {
    await s.control("PUT /sinks/demo", { delayMs: 300 });
    return delivered(({ status }) => status)(s);
  }),
  row("delivery.success", [418], "delivered", async (s) => {
    await s.control("PUT /sinks/demo", { status: 418 });
    return delivered(({ status }) => status)(s);
  }),
  row(
    "delivery.signature",
    { scheme: "standard-webhooks", secrets: ["whsec_c2VjcmV0"] },
    true,
    delivered(({ headers }) => "webhook-signature" in headers),
  ),
  row("events.internalMessages", "omit", 1, async (s) => {
    for (const internal of [true, false]) await send(s, { ...NOTE, internal });
    return (await received(s)).length;
  }),
  row("legacy.customerEmployeeUserId", null, null, async (s) => (await legacyBody(s)).employeeUserId),
  row("legacy.customerEmployeeUserId", "omit", undefined, async (s) => (await legacyBody(s)).employeeUserId),
  row(
    "graphql.nullFields",
    "reject",
    [400, 400],
    statuses(api("POST /graphql", { query: "get-hook-query", variables: null }), (s) =>
      graphql(s, "get-hook-query", { hookId: null }),
    ),
  ),
  row("webhooks.createStatus", 201, [201, HOOK.url, [200, 200]], async (s) => {
    const { status, body } = await create()(s);
    return [status, body.url, await statuses(api(`GET ${HOOKS}${body.hookId}`), update({}))(s)];
  }),
  ...(
    [
      ["all", ["crm"]],
      ["refuse", [`@.variables.hookId ${EMPTY}`]],
    ] as const
  ).map(([value, expected]) =>
    row("graphql.getNone", value, expected, async (s) => {
      const { body } = await graphql(s, "get-hook-query", { hookId: [] });
      return body.data?.hook.map(({ hookId }: { hookId: string }) => hookId) ?? problemsIn(body);
    }),
  ),
  row(
    "delivery.pendingUpdate",
    "current",
    ["sink:new", "delivered", "1"],
    given({ "delivery.attempts": 2 }, async (s) => {
      const extraHeaders = [{ name: "X-New", value: "1" }];
      const { url, status } = await retried(s, update({ url: "sink:new", extraHeaders }));
      return [url, status, (await received(s, "new"))[0]?.headers["x-new"]];
    }),
  ),
  row("delivery.redirects", "follow", ["delivered", ["/hook", "/end"]], async (s) => {
    const { url, seen } = await receiver((response, { path }) => {
      response.writeHead(path === "/end" ? 200 : 307, { location: "/end" }).end();
    });
    await update({ url })(s);
    return [await delivered(({ status }) => status)(s), seen.map(({ path }) => path)];
  }),
  row("delivery.autoDisable", 2, [true, true, true, false], async (s) => {
    const seen: boolean[] = [];
    for (const status of [500, 200, 500, 500]) {
      await s.control("PUT /sinks/demo", { status });
      await inbound(s);
      await lastDelivery(s);
      seen.push((await s.api(`GET ${HOOKS}crm`)).body.enabled);
    }
    return seen;
  }),
];

/** What a sandbox has to keep together, by feature: each pair of them is a session in which one meets the other. */
import fc from "fast-check";
import { type Call, calls, conversation, settings, world } from "./commands.js";

/** The receiver of the webhooks answers with this status from now on. */
interface Answering {
  readonly answers: number;
}

/** The simulator with a folder is closed and started again, or goes on from what it would leave if it was killed. */
interface Restart {
  readonly restart: "close" | "kill" | "checkpoint";
}

/** The state is read and written back. */
interface Rewrite {
  readonly rewrite: true;
}

export type Step = Call | Answering | Restart | Rewrite;

/** Stands for the address of the receiver. */
export const RECEIVER = "http://receiver";
/** Stands for the thread in which the widget was answered last. */
export const LAST_THREAD = "the last thread";

interface Feature {
  /** What the sandbox starts with. */
  readonly behaviour?: object;
  readonly steps: readonly fc.Arbitrary<Step | readonly Step[]>[];
}

const step = (call: string, body?: unknown, token?: string): Step => ({
  call,
  ...(body === undefined ? {} : { body }),
  ...(token === undefined ? {} : { token }),
});
const oneOf = (...steps: (Step | readonly Step[])[]) => fc.constantFrom(...steps);

const TOKENS = ["acme-token", "acme-no-delete"];
export const HOOKS = "GET /api/webhooks/";
const SEND = "POST /api/send-message-to-customer-thread";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";
const NAMES = ["one", "two"];

const advance = (by: string) => step("POST /clock/advance", { by });
const inbound = (id: string) => step(`POST /threads/${id}/inbound`, { text: "Hello" });
const take = (name: string) => step("POST /snapshots", { name });
const restore = (name: string) => step(`POST /snapshots/${name}/restore`);
/** Where a webhook leads: each path of the receiver has a secret of its own, which is its name. */
export const leadingTo = (path: string, receiver = RECEIVER) => ({
  url: `${receiver}/${path}`,
  extraHeaders: [{ name: "x-secret", value: path }],
});
const update = (path: string) => step("POST /api/webhooks/crm/update", leadingTo(path));

const FEATURES: Readonly<Record<string, Feature>> = {
  snapshots: {
    steps: [
      oneOf(...NAMES.map(take)),
      oneOf(...NAMES.map(restore)),
      oneOf(...NAMES.map((name) => step(`DELETE /snapshots/${name}`))),
    ],
  },
  resets: {
    steps: [
      oneOf(
        step("POST /reset"),
        step("POST /reset", { clock: "2026-01-01T07:00:00Z" }),
        step("POST /reset", { clock: "2026-01-01T11:00:00Z", seed: 5 }),
        step("POST /reset", { fixtures: { organizations: [{ id: "1", name: "Alone" }] }, ids: "apart" }),
      ),
    ],
  },
  // As the page does it: a snapshot before what throws the state away, and the snapshot again.
  undo: {
    steps: [
      oneOf(
        [take("before"), step("POST /reset")],
        [take("before"), step("POST /reset", { clock: "2026-01-01T11:00:00Z" })],
        [take("before"), step("DELETE /data/webhooks/1")],
      ),
      oneOf([take("after"), restore("before")], [restore("after")]),
    ],
  },
  updates: {
    steps: [
      oneOf(update("old"), update("new"), step("PATCH /data/webhooks/1", leadingTo("other"))),
      oneOf(
        ...[true, false].map((enabled) => step("POST /api/webhooks/crm/update", { enabled })),
        step("POST /api/webhooks/crm/delete"),
        step("POST /api/webhooks/", { ...leadingTo("more"), subscribedEvents: ["messages"] }),
        step("PATCH /behaviour", { "delivery.pendingUpdate": "current" }),
        step("PATCH /behaviour", { "webhooks.pendingAfterDisable": "send" }),
      ),
    ],
  },
  retries: {
    behaviour: { "delivery.attempts": 3, "delivery.backoff": ["1m", "2h"], "delivery.autoDisable": 3 },
    steps: [
      oneOf({ answers: 500 }, { answers: 200 }),
      oneOf(inbound("9001"), inbound("9003")),
      oneOf([{ answers: 500 }, inbound("9001"), inbound("9001"), { answers: 200 }], advance("1m")),
    ],
  },
  rates: {
    behaviour: { "limits.rate": { requests: 3, per: "90m" } },
    steps: [oneOf(...TOKENS.map((token) => step(HOOKS, undefined, token)))],
  },
  lifetimes: {
    behaviour: { "tokens.lifetime": "3h" },
    steps: [
      oneOf(...TOKENS.map((token) => step(HOOKS, undefined, token))),
      oneOf(
        step("PATCH /data/tokens/acme-token", { issuedAt: Date.UTC(2026, 0, 1, 8) }),
        step("PATCH /data/tokens/acme-token", { issuedAt: Date.UTC(2026, 0, 1, 12) }),
        step("PATCH /behaviour", { "tokens.lifetime": "6h" }),
      ),
    ],
  },
  reuse: {
    behaviour: { "widget.reuse": "open" },
    steps: [
      // The user of the first token has no access to the business, but goes on in what it began.
      oneOf([
        ...TOKENS.map((token) => widget("1002", { sms: "+15550100" }, token)),
        sendToLast("acme-token"),
      ]),
      fc
        .tuple(fc.constantFrom("1001", "1002"), fc.constantFrom("+15550102003", "+15550100"))
        .chain(([businessId, sms]) =>
          fc.constantFrom(...TOKENS.map((token) => widget(businessId, { sms }, token))),
        ),
      oneOf(...TOKENS.map(sendToLast)),
    ],
  },
  repeated: {
    behaviour: { "query.repeated": "reject" },
    steps: [
      oneOf(step(`${DETAILS}9001&odd=1&odd=2`)),
      oneOf(
        step(`${DETAILS}9001&customerThreadId=9002`),
        step(`${DETAILS}9001&customerThreadId=9002&odd=1&odd=2`),
        step("PATCH /behaviour", { "query.repeated": "first" }),
      ),
    ],
  },
  windows: {
    behaviour: { "window.duration": "4h", "window.undatedEnd": "lastMessage" },
    steps: [
      oneOf(...["9001", "9002"].map(inbound)),
      oneOf(...["9001", "9002"].map((id) => step(SEND, { customerThreadId: id, text: "Hi" }))),
      oneOf(
        ...[true, false].map((open) => step("POST /threads/9001/window", { open })),
        ...[true, false].map((isMessagingWindowOpen) =>
          step("PATCH /data/threads/9002", { isMessagingWindowOpen }),
        ),
        step("PATCH /data/threads/9001", { windowClosesAt: Date.UTC(2026, 0, 1, 12) }),
      ),
    ],
  },
  conversation: { steps: [...conversation, ...calls] },
  records: { steps: [...world, oneOf({ rewrite: true })] },
  settings: { steps: settings },
};

function sendToLast(token: string): Step {
  return step(SEND, { customerThreadId: LAST_THREAD, text: "Hi" }, token);
}

function widget(businessId: string, user: object, token: string): Step {
  return step("POST /api/widget/send-message-to-business", { businessId, message: "Hi", user }, token);
}

/** What happens in every session. */
const ALWAYS: Feature["steps"] = [
  oneOf(...["30m", "1h", "2h"].map(advance)),
  oneOf(inbound("9001"), step(HOOKS)),
  oneOf({ restart: "close" }, { restart: "kill" }, { restart: "checkpoint" }),
];

/** A session: what its sandbox starts with, and what is done to it. */
export interface Session {
  readonly features: readonly string[];
  readonly ids: "same" | "apart";
  readonly behaviour: Readonly<Record<string, string>>;
  /** Whether its fixture is its own, or that of the server. */
  readonly own: boolean;
  readonly steps: readonly Step[];
  /** What comes before the last restart. */
  readonly end: { readonly reset: boolean; readonly checkpoint: boolean };
}

const allIn = (features: readonly Feature[]) => fc.oneof(...features.map(({ steps }) => fc.oneof(...steps)));

/** A session in which these features meet. */
export function sessionsOf(names: readonly string[]): fc.Arbitrary<Session> {
  const features = names.map((name) => FEATURES[name]!);
  // One step of each kind comes first, while everything is there.
  const once = fc.tuple(...features.flatMap(({ steps }) => steps));
  const drawn = fc.oneof(
    { weight: 3, arbitrary: allIn(features) },
    { weight: 1, arbitrary: fc.oneof(...ALWAYS) },
  );
  return fc.record({
    features: fc.constant(names),
    ids: fc.constantFrom("same" as const, "apart" as const),
    behaviour: fc.constant(Object.assign({}, ...features.map(({ behaviour = {} }) => behaviour))),
    own: fc.boolean(),
    steps: fc.tuple(once, fc.array(drawn, { maxLength: 14 })).map((steps) => steps.flat(2) as Step[]),
    end: fc.record({ reset: fc.boolean(), checkpoint: fc.boolean() }),
  });
}

const names = Object.keys(FEATURES);

/** All features, dealt at random to as few sessions as have two or three of them. */
export const deals: fc.Arbitrary<string[][]> = fc
  .shuffledSubarray(names, { minLength: names.length })
  .map((order) => {
    const count = Math.ceil(order.length / 3);
    return Array.from({ length: count }, (_, at) => order.filter((_, index) => index % count === at));
  });

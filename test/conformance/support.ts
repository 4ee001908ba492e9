import { expect } from "vitest";
import { omitUndefined } from "../../src/kernel/objects.js";
import { propertiesIn } from "../support/problems.js";
import type { Answer, Caller } from "../support/simulator.js";
import { type Chapter, type Proof, type Proofs, rowsOf } from "./row.js";

export const PROFILE = "GET /api/customers/cust_001/profile";
export const UPDATE_PROFILE = "POST /api/customers/cust_001/profile/update";
export const DELETE_USER = "POST /api/user/delete-by-email";
export const SEND = "POST /api/send-message-to-customer-thread";
export const WIDGET = "POST /api/widget/send-message-to-business";
export const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
export const TEMPLATES = "GET /api/get-whatsapp-templates?customerThreadId=9001";
export const STATUS = "POST /api/update-thread-status";
export const GRAPHQL = "POST /graphql";
export const HOOKS = "/api/webhooks/";
export const LEGACY = "POST /api/update-hook-url";
export const HOOK = { url: "https://bot.example/hook", subscribedEvents: ["messages"] };
export const TEMPLATE = "HX00000000000000000000000000000001";
export const ATTACHMENT = { uuid: "u1", contentType: "text/plain", name: "a.txt", contentLength: 7 };

export const details = async ({ api }: Caller, id = "9001") => (await api(DETAILS.replace("9001", id))).body;
export const profile = async ({ api }: Caller) => (await api(PROFILE)).body;
export const send = ({ api }: Caller, body: object) => api(SEND, { customerThreadId: "9001", ...body });
export const begin = ({ api }: Caller, user: object, body: object = {}) =>
  api(WIDGET, { businessId: "1001", message: "Hi", user, ...body });
export const records = async ({ control }: Caller, collection: string) =>
  (await control("GET /state")).body[collection];
export const inbound = ({ control }: Caller, body: object = { text: "Hi" }) =>
  control("POST /threads/9001/inbound", body);

/** A named GraphQL operation. */
export const graphql = ({ api }: Caller, query: string, variables?: object) =>
  api(GRAPHQL, { query, ...omitUndefined({ variables }) });

/** All webhooks, as the API lists them. */
export const hooks = async ({ api }: Caller) => (await api(`GET ${HOOKS}`)).body;
export const hook = async ({ api }: Caller, hookId: string) => (await api(`GET ${HOOKS}${hookId}`)).body;
export const create = async ({ api }: Caller, fields: object = {}) =>
  (await api(`POST ${HOOKS}`, { ...HOOK, ...fields })).body;
/** Saves the webhook `g` through GraphQL, or another one. */
export const save = async (s: Caller, variables: object = {}) =>
  (await graphql(s, "save-hook-mutation", { hookId: "g", url: HOOK.url, ...variables })).body.data.saveHook;

/** What a sink has received, once nothing is under way. */
export async function received({ control }: Caller, sink = "demo") {
  await control("POST /wait", { for: "idle" });
  return (await control(`GET /sinks/${sink}/received?secrets=show`)).body;
}

/** The body of a message event: an attachment comes with it. */
export async function messageEvent(simulator: Caller) {
  await inbound(simulator, { text: "Hi", attachment: ATTACHMENT });
  return (await received(simulator)).at(-1).body;
}

export async function transferEvent(simulator: Caller) {
  await simulator.control("POST /threads/9001/transfer", { businessId: "1002" });
  return (await received(simulator)).at(-1).body;
}

/** The body of a legacy delivery of a customer's message. */
export async function legacyDelivery(simulator: Caller) {
  await simulator.api(LEGACY, { url: "sink:legacy" });
  await inbound(simulator);
  return (await received(simulator, "legacy")).at(-1).body;
}

/** What an event tells of an attachment, in the order of `ATTACHMENT`. */
export const attachmentIn = (data: Shown) =>
  ["UUID", "ContentType", "Name", "ContentLength"].map((name) => data[`messageAttachment${name}`]);

type Shown = Readonly<Record<string, unknown>>;

/** The kind of a JSON value, as the specification calls it. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** A proof for each row of a chapter that says of which type a field is, such as `status is a string`, of what `read` gives. */
export const typed = <C extends Chapter>(
  chapter: C,
  prefix: string,
  read: (simulator: Caller) => Promise<Shown | readonly Shown[]>,
): Proofs<C> => {
  const proofs = rowsOf(chapter).flatMap(([id, [says]]): [string, Proof][] => {
    const [, field = "", type] = /^(\w+) is an? (string|integer|boolean|array|object)\b/.exec(says) ?? [];
    if (id !== `${prefix}.${field}`) return [];
    const proof: Proof = async (simulator) => {
      for (const shown of [await read(simulator)].flat()) expect(kindOf(shown[field])).toBe(type);
    };
    return [[id, proof]];
  });
  // Object.fromEntries forgets the names of the keys.
  return Object.fromEntries(proofs) as Proofs<C>;
};

/** Shows that something changes no record. */
export async function changesNothing(s: Caller, act: () => Promise<void>): Promise<void> {
  const before = (await s.control("GET /state")).body;
  await act();
  expect((await s.control("GET /state")).body).toEqual(before);
}

/** Calls that are refused because of one property, and change nothing. */
export const refused =
  (call: string, property: string, ...bodies: readonly object[]): Proof =>
  (s) =>
    changesNothing(s, async () => {
      for (const body of bodies) {
        const answer = await s.api(call, body);
        const properties = call === GRAPHQL ? propertiesIn(answer) : invalidProperties(answer);
        expect([body, [...new Set(properties)]]).toEqual([body, [property]]);
      }
    });

/** Calls that get a status, and change nothing. */
export const answered =
  (status: number, calls: readonly (readonly [string, unknown?])[], token?: string | null): Proof =>
  (s) =>
    changesNothing(s, async () => {
      for (const [call, body] of calls)
        expect([call, (await s.api(call, body, omitUndefined({ token }))).status]).toEqual([call, status]);
    });

/** The properties that a 400 of validation names; the body's shape is checked. */
export function invalidProperties({ status, body }: Answer): string[] {
  expect([status, Object.keys(body)]).toEqual([400, ["body", "headers"]]);
  return body.body.map(({ property }: { property: string }) => property);
}

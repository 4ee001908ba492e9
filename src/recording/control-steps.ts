/** Control calls as steps: in the words of a conversation where there are some, else as they were. */
import type { ControlRecord } from "../client/types.js";
import { durationText } from "../kernel/duration.js";
import type { Draft } from "./draft.js";
import { literal } from "./draft.js";
import { bodyOf, type References } from "./references.js";
import { MASK, withoutSecrets } from "./secrets.js";

type Fields = Readonly<Record<string, unknown>>;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Undefined: another route, or the call as it was. */
  readonly step: (call: Called) => Fields | undefined;
  readonly noun?: string;
}

interface Called {
  /** The parts of the path, as ids of steps name them. */
  readonly params: readonly string[];
  /** The same as they were. */
  readonly raw: readonly string[];
  readonly body: Fields;
  readonly references: References;
}

/** Left out: what only forgets what was written down. */
const FORGETS = /^DELETE \/(requests|warnings)$/;

const has = (body: Fields, ...keys: readonly string[]): boolean =>
  Object.keys(body).length === keys.length && keys.every((key) => body[key] !== undefined);

/** A step about a thread: in its short form where it is the scenario's, and the form is all that there is to say. */
function inThread({ params: [thread] }: Called, key: string, short: unknown, long: Fields): Fields {
  const isMain = thread === "${thread}";
  if (isMain && short !== undefined) return { [key]: short };
  return { [key]: { ...(isMain ? {} : { thread }), ...long } };
}

const textOf = ({ references }: Called, value: unknown): unknown =>
  typeof value === "string" ? references.text(value) : value;

const ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/inbound$/,
    noun: "message",
    step: (call) => {
      const { text, attachment } = call.body;
      const says = textOf(call, text);
      const long = {
        ...(text === undefined ? {} : { says }),
        ...(attachment === undefined ? {} : { attachment }),
      };
      return inThread(call, "customer", attachment === undefined ? says : undefined, long);
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/employee-message$/,
    noun: "message",
    step: (call) => {
      const { userId, text, internal } = call.body;
      const user = call.references.id(String(userId));
      const long = { user, says: textOf(call, text), ...(internal === true ? { internal } : {}) };
      return inThread(call, "employee", undefined, long);
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/window$/,
    step: (call) =>
      inThread(call, "window", call.body.open === true ? "open" : "closed", { open: call.body.open }),
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/transfer$/,
    step: (call) => {
      const { businessId, employeeUserId } = call.body;
      const to = call.references.id(String(businessId));
      if (employeeUserId === undefined) return inThread(call, "transfer", to, { to });
      return inThread(call, "transfer", undefined, { to, by: call.references.id(String(employeeUserId)) });
    },
  },
  {
    method: "PATCH",
    path: /^\/data\/threads\/([^/]+)$/,
    step: (call) =>
      has(call.body, "status") ? inThread(call, "status", call.body.status, call.body) : undefined,
  },
  {
    method: "PATCH",
    path: /^\/data\/([^/]+)\/([^/]+)$/,
    noun: "record",
    step: ({ params: [collection, id], body, references }) => {
      if (Object.keys(body).length === 0) return undefined;
      const values = bodyOf(references.sent(body));
      return typeof values === "string" ? undefined : { set: { collection, id, values } };
    },
  },
  {
    method: "POST",
    path: /^\/clock\/advance$/,
    step: ({ body: { by } }) => ({ advance: typeof by === "number" ? durationText(by) : by }),
  },
  {
    method: "POST",
    path: /^\/events$/,
    noun: "event",
    step: ({ body: { eventType, data = {}, legacy }, references }) => {
      // Without a thread of its own the step takes the scenario's, the call the first that there is.
      if ((data as Fields).customerThreadId === undefined && references.thread !== undefined)
        return undefined;
      const given = references.sent(data);
      if (typeof bodyOf(given) === "string") return undefined;
      const more = Object.keys(data as Fields).length === 0 ? {} : { data: given };
      return { emit: { event: eventType, ...more, ...(legacy === undefined ? {} : { legacy }) } };
    },
  },
  {
    method: "POST",
    path: /^\/faults$/,
    noun: "fault",
    step: ({ body, references }) => {
      const rule = references.sent(body);
      return typeof bodyOf(rule) === "string" ? undefined : { fault: rule };
    },
  },
  { method: "DELETE", path: /^\/faults$/, step: () => ({ clearFaults: true }) },
  {
    method: "PATCH",
    path: /^\/behaviour$/,
    // Its own placeholders are the behaviour's: they stay as they are.
    step: ({ body }) => (Object.keys(body).length === 0 ? undefined : { behaviour: body }),
  },
  {
    method: "POST",
    path: /^\/snapshots$/,
    step: ({ body: { name }, references }) => {
      references.keep(String(name));
      return { snapshot: literal(String(name)) };
    },
  },
  {
    method: "POST",
    path: /^\/snapshots\/([^/]+)\/restore$/,
    step: ({ raw: [name = ""], references }) => {
      references.restore(name);
      return { restore: literal(name) };
    },
  },
];

/** The step for a control call; undefined for one that a replay has no need of. */
export function controlStep(record: ControlRecord, references: References): Draft | undefined {
  const { method, path, response } = record;
  if (FORGETS.test(`${method} ${path}`)) return undefined;
  const body = withoutSecrets(dummySecrets(record.body)) as Fields | null;
  const draft = asStep(record, body ?? {}, references) ?? asCall(record, body, references);
  references.made(draft, response, ["body"], method === "POST");
  return draft;
}

function asStep({ method, path }: ControlRecord, body: Fields, references: References): Draft | undefined {
  for (const route of ROUTES) {
    const params = route.method === method ? route.path.exec(path)?.slice(1) : undefined;
    if (params === undefined) continue;
    const raw = params.map(decodeURIComponent);
    const named = raw.map((id) => references.to(id) ?? references.id(id));
    const step = route.step({ params: named, raw, body, references });
    if (step !== undefined) return { step, noun: route.noun ?? "outcome" };
  }
  return undefined;
}

function asCall({ method, path, query }: ControlRecord, body: Fields | null, references: References): Draft {
  const segments = path.split("/").map((segment) => {
    const value = decodeURIComponent(segment);
    return (value === "" ? undefined : references.to(value)) ?? literal(segment);
  });
  const asked = new URLSearchParams(query).toString();
  const sent = body === null ? {} : { body: bodyOf(references.sent(body)) };
  const [, collection = "outcome"] = /^\/data\/([^/]+)/.exec(path) ?? [];
  const call = `${method} ${segments.join("/")}${asked === "" ? "" : `?${literal(asked)}`}`;
  return { noun: collection.replace(/(ss)es$|s$/, "$1"), step: { control: call, ...sent } };
}

/** Secrets that deliveries are signed with are no use to anybody else: another text takes their place. */
function dummySecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("delivery.signature" in value)) return value;
  return { ...value, "delivery.signature": unsigned(value["delivery.signature"]) };
}

/** A signature setting with its secrets masked; any text is a secret. */
export const unsigned = (setting: unknown): unknown =>
  typeof setting === "object" && setting !== null && "secrets" in setting
    ? { ...setting, secrets: (setting.secrets as unknown[]).map(() => MASK) }
    : setting;

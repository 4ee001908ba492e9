/** Control calls as steps: the step of a conversation where there is one, else the call as it was. */
import type { ControlRecord } from "../client/types.js";
import { durationText } from "../kernel/duration.js";
import { given } from "../kernel/given.js";
import { isObject } from "../kernel/json.js";
import { MASK } from "../kernel/masking.js";
import { escaped } from "../scenarios/placeholders.js";
import { writtenBody } from "./bodies.js";
import type { Draft } from "./draft.js";
import type { References } from "./references.js";
import { withoutSecrets } from "./secrets.js";

type Fields = Readonly<Record<string, unknown>>;

interface ControlCall {
  /** The parts of the path, as ids of steps name them. */
  readonly params: readonly string[];
  /** The same as they were. */
  readonly raw: readonly string[];
  readonly body: Fields;
  readonly references: References;
}

interface Route {
  /** Method and path, with a group for each id. */
  readonly call: RegExp;
  /** What the outcome is called; default: `outcome`. */
  readonly noun?: string;
  /** Undefined where the step cannot say all that the call did. */
  step(call: ControlCall): Fields | undefined;
}

/** Left out: what only forgets what was logged. */
const FORGETS = /^DELETE \/(requests|warnings)$/;

const ROUTES: readonly Route[] = [
  {
    call: /^POST \/threads\/([^/]+)\/inbound$/,
    noun: "message",
    step: (call) => {
      const { text, attachment } = call.body;
      const says = textIn(call, text);
      const long = given({ says, attachment });
      return inThread(call, "customer", long, attachment === undefined ? says : undefined);
    },
  },
  {
    call: /^POST \/threads\/([^/]+)\/employee-message$/,
    noun: "message",
    step: (call) => {
      const { userId, text, internal } = call.body;
      const user = call.references.id(String(userId));
      return inThread(call, "employee", {
        user,
        says: textIn(call, text),
        ...(internal === true && { internal }),
      });
    },
  },
  {
    call: /^POST \/threads\/([^/]+)\/window$/,
    step: (call) => {
      const { open } = call.body;
      return inThread(call, "window", { open }, open === true ? "open" : "closed");
    },
  },
  {
    call: /^POST \/threads\/([^/]+)\/transfer$/,
    step: (call) => {
      const { businessId, employeeUserId } = call.body;
      const to = call.references.id(String(businessId));
      if (employeeUserId === undefined) return inThread(call, "transfer", { to }, to);
      return inThread(call, "transfer", { to, by: call.references.id(String(employeeUserId)) });
    },
  },
  {
    call: /^PATCH \/data\/threads\/([^/]+)$/,
    step: (call) => {
      const { status, ...others } = call.body;
      if (status === undefined || Object.keys(others).length > 0) return undefined;
      return inThread(call, "status", { status }, status);
    },
  },
  {
    call: /^PATCH \/data\/([^/]+)\/([^/]+)$/,
    noun: "record",
    step: ({ params: [collection, id], body, references }) => {
      if (Object.keys(body).length === 0) return undefined;
      const values = writtenBody(references.body(body));
      return typeof values === "string" ? undefined : { set: { collection, id, values } };
    },
  },
  {
    call: /^POST \/clock\/advance$/,
    step: ({ body: { by } }) => ({ advance: typeof by === "number" ? durationText(by) : by }),
  },
  {
    call: /^POST \/events$/,
    noun: "event",
    step: ({ body: { eventType, data, legacy }, references }) => {
      const fields = isObject(data) ? data : {};
      // Without a thread of its own the step takes the scenario's, the call the first that there is.
      if (fields.customerThreadId === undefined && references.thread !== undefined) return undefined;
      const sent = references.body(fields);
      if (typeof writtenBody(sent) === "string") return undefined;
      const isEmpty = Object.keys(fields).length === 0;
      return { emit: { event: eventType, ...given({ data: isEmpty ? undefined : sent, legacy }) } };
    },
  },
  {
    call: /^POST \/faults$/,
    noun: "fault",
    step: ({ body, references }) => {
      const rule = references.body(body);
      return typeof writtenBody(rule) === "string" ? undefined : { fault: rule };
    },
  },
  { call: /^DELETE \/faults$/, step: () => ({ clearFaults: true }) },
  {
    call: /^PATCH \/behaviour$/,
    // Placeholders in it are the behaviour's own: they stay as they are.
    step: ({ body }) => (Object.keys(body).length === 0 ? undefined : { behaviour: body }),
  },
  {
    call: /^POST \/snapshots$/,
    step: ({ body: { name }, references }) => {
      references.keepSnapshot(String(name));
      return { snapshot: escaped(String(name)) };
    },
  },
  {
    call: /^POST \/snapshots\/([^/]+)\/restore$/,
    step: ({ raw: [name = ""], references }) => {
      references.restoreSnapshot(name);
      return { restore: escaped(name) };
    },
  },
];

/** A step about a thread: in its short form where it has one and the thread is the scenario's. */
function inThread({ params: [thread] }: ControlCall, key: string, long: Fields, short?: unknown): Fields {
  const isMain = thread === "${thread}";
  if (isMain && short !== undefined) return { [key]: short };
  return { [key]: isMain ? long : { thread, ...long } };
}

const textIn = ({ references }: ControlCall, value: unknown): unknown =>
  typeof value === "string" ? references.text(value) : value;

/** The step for a control call; undefined for one that a replay has no need of. */
export function controlStep(record: ControlRecord, references: References): Draft | undefined {
  const call = `${record.method} ${record.path}`;
  if (FORGETS.test(call)) return undefined;
  const body = withoutSecrets(withMaskedSignature(record.body));
  const draft = asStep(call, isObject(body) ? body : {}, references) ?? asCall(record, body, references);
  references.add(draft, record.response, ["body"], record.method === "POST");
  return draft;
}

function asStep(call: string, body: Fields, references: References): Draft | undefined {
  for (const route of ROUTES) {
    const ids = route.call.exec(call)?.slice(1);
    if (ids === undefined) continue;
    const raw = ids.map(decodeURIComponent);
    const params = raw.map((id) => references.placeholder(id) ?? references.id(id));
    const step = route.step({ params, raw, body, references });
    if (step !== undefined) return { step, noun: route.noun ?? "outcome" };
  }
  return undefined;
}

function asCall({ method, path, query }: ControlRecord, body: unknown, references: References): Draft {
  const segments = path.split("/").map((segment) => references.segment(segment));
  const search = new URLSearchParams(query).toString();
  const [, collection = "outcome"] = /^\/data\/([^/]+)/.exec(path) ?? [];
  const control = `${method} ${segments.join("/")}${search === "" ? "" : `?${escaped(search)}`}`;
  return {
    noun: collection.replace(/(ss)es$|s$/, "$1"),
    step: { control, ...(body !== null && { body: writtenBody(references.body(body)) }) },
  };
}

/** A recording holds no secrets that deliveries are signed with: any other text does as well. */
const withMaskedSignature = (body: unknown): unknown =>
  isObject(body) && "delivery.signature" in body
    ? { ...body, "delivery.signature": maskedSignature(body["delivery.signature"]) }
    : body;

/** A signature setting with its secrets masked; any text is a secret. */
export const maskedSignature = (setting: unknown): unknown =>
  isObject(setting) && Array.isArray(setting.secrets)
    ? { ...setting, secrets: setting.secrets.map(() => MASK) }
    : setting;

/** The probes that ship: which of them are sent, the world in which the simulator plays them, and how their changes are undone. */
import { reasonOf } from "../../kernel/errors.js";
import { isObject, valueAt } from "../../kernel/json.js";
import { maskedAddress } from "../../kernel/masking.js";
import { counted } from "../../kernel/words.js";
import type { Scenario } from "../../scenarios/read.js";
import { allSteps } from "../../scenarios/step.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import { type OtherSide, otherSideFailed, paceOf } from "./other-side.js";

/** What probes may use on the other side. */
export interface ProbeScope {
  readonly thread?: string | undefined;
  readonly customer?: string | undefined;
  /** Whether probes may change `thread` and `customer`, and create webhooks. */
  readonly write: boolean;
}

/** Which scenarios can be sent with what is given, those that only read first, and the plan for people to agree to. */
export function planOf(scenarios: readonly Scenario[], scope: ProbeScope, url: string) {
  const missing = ({ probe }: Scenario): string =>
    [
      ...(probe?.writes && !scope.write ? ["--write"] : []),
      ...(probe?.needs ?? []).filter((need) => scope[need] === undefined).map((need) => `--${need}`),
    ].join(" and ");
  const ordered = [...scenarios].sort((a, b) => Number(a.probe?.writes ?? 0) - Number(b.probe?.writes ?? 0));
  const chosen = ordered.filter((one) => missing(one) === "");
  const leftOut = ordered.filter((one) => missing(one) !== "");
  const callsIn = (some: readonly Scenario[]) =>
    allSteps(some.flatMap(({ steps }) => steps)).filter(({ kind }) => kind.effect === "calls").length;
  const ms = callsIn(chosen) * paceOf(url);
  const speed = ms === 0 ? "" : `, at most two a second (${Math.ceil(ms / 1000)} s or more)`;
  const lines = [
    `${counted(chosen.length, "scenario")} with ${counted(callsIn(chosen), "call")} to ${maskedAddress(url)}${speed}:`,
    ...chosen.flatMap((one) => [
      `  ${one.name} (${counted(callsIn([one]), "call")})`,
      ...(one.probe === undefined
        ? []
        : [`    effect    ${one.probe.does}`, `    measures  ${one.probe.tells.join(", ")}`]),
    ]),
    ...(leftOut.length === 0 ? [] : ["Left out:"]),
    ...leftOut.map((one) => `  ${one.name}: requires ${missing(one)}`),
  ];
  return { chosen, text: `${lines.join("\n")}\n` };
}

const profilePath = (customer = ""): string => `/api/customers/${encodeURIComponent(customer)}/profile`;
const ofThread = (path: string, thread: string): string =>
  `/api/${path}?customerThreadId=${encodeURIComponent(thread)}`;

/**
 * What the other side shows of what probes depend on and may change.
 *
 * @throws UnusableDocument if there is no answer, the token is refused, or a record cannot be read: then nothing must be changed
 */
export async function look(other: OtherSide, { thread, customer }: ProbeScope) {
  const read = async (path: string, option: string): Promise<unknown> => {
    const { status, body } = await other.call("GET", path);
    if (status < 300) return body;
    const message = `GET ${path} returned ${status}, so nothing could be compared or restored`;
    throw otherSideFailed(status === 401 ? "token" : option, message);
  };
  return {
    webhooks: await read("/api/webhooks/", "against"),
    thread: thread && (await read(ofThread("get-customer-thread-details", thread), "thread")),
    templates: thread && (await read(ofThread("get-whatsapp-templates", thread), "thread")),
    profile: customer && (await read(profilePath(customer), "customer")),
  };
}
type Shown = Awaited<ReturnType<typeof look>>;

/** Every webhook that a body has, in whatever form. */
function hooksIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(hooksIn);
  if (!isObject(value)) return [];
  return typeof value.hookId === "string" ? [value] : Object.values(value).flatMap(hooksIn);
}

type Records = readonly Readonly<Record<string, unknown>>[];
type Fixture = Readonly<Record<string, Records>>;

const UPDATABLE = ["firstName", "lastName", "company"];
/** What changes with an update. */
const UPDATED = [...UPDATABLE, "displayName"];
/** Where probes let webhooks point: nothing has such an address. */
const NOWHERE = "messaging-sim.invalid";
const CHANNEL = /^[A-Z][A-Z0-9_]*$/;

/** The shipped fixture, with its records as empty, open and many as those that the other side shows. Nobody compares their texts. */
export function worldLike(fixture: Fixture, shown: Shown, { thread, customer }: ProbeScope): Fixture {
  const { customers: [person = {}] = [], webhooks: [webhook] = [], templates = [] } = fixture;
  const titles = valueAt(shown.templates, ["templates"]);
  const channel = valueAt(shown.thread, ["customerChannel"]);
  const status = valueAt(shown.thread, ["status"]);
  const { organizationId } = person;
  const profile = Object.entries(person).map(([name, own]) => [
    name,
    likeness(own, valueAt(shown.profile, [name])),
  ]);
  const withOne = (records: Records = [], id: string | undefined, values: object) =>
    id === undefined
      ? records
      : [...records.filter((one) => one.id !== id), { ...records[0], ...values, id }];
  return {
    ...fixture,
    messages: [],
    webhooks: hooksIn(shown.webhooks).map(({ enabled }, index) => ({
      ...{ ...webhook, id: `${index + 1}`, hookId: `shown-${index}`, enabled: enabled !== false },
    })),
    threads: withOne(fixture.threads, thread, {
      ...(CHANNEL.test(String(channel)) && { channel }),
      ...(THREAD_STATUSES.some((one) => one === status) && { status }),
      isMessagingWindowOpen: valueAt(shown.thread, ["isMessagingWindowOpen"]) !== false,
    }),
    templates: (Array.isArray(titles) ? titles : []).map((_, index) => ({
      ...{ ...templates[0], id: `HX${`${index}`.padStart(32, "0")}` },
    })),
    customers: withOne(fixture.customers, customer, { ...Object.fromEntries(profile), organizationId }),
  };
}

/** A field of a profile, as empty as the other side shows it. */
function likeness(own: unknown, shown: unknown): unknown {
  if (Array.isArray(own)) return (Array.isArray(shown) ? shown : []).map(() => own[0] as unknown);
  if (isObject(own))
    return Object.fromEntries(Object.entries(own).filter(([name]) => isObject(valueAt(shown, [name]))));
  if (typeof own === "boolean") return shown !== false;
  return typeof shown === "string" && shown !== "" ? own : null;
}

/** Deletes the webhooks of probes, and gives profile and status their earlier values; resolves with what the other side shows then. */
export async function undo(other: OtherSide, scope: ProbeScope, before: Shown, tell: (line: string) => void) {
  const { thread, customer } = scope;
  const known = new Set(hooksIn(before.webhooks).map(({ hookId }) => hookId));
  const status = valueAt(before.thread, ["status"]);
  // Where nothing can be read, everything counts as changed.
  const changes = (now?: Shown) => ({
    hooks: hooksIn(now?.webhooks).filter((one) => !known.has(one.hookId) && `${one.url}`.includes(NOWHERE)),
    names: UPDATED.filter((name) => valueAt(now?.profile, [name]) !== valueAt(before.profile, [name])),
    isMoved: valueAt(now?.thread, ["status"]) !== status,
  });
  // What fails is still otherwise afterwards.
  const attempt = (path: string, sent?: object) => other.call("POST", path, sent).catch(() => undefined);
  other.isUndoing = true;
  try {
    const made = changes(await look(other, scope).catch(() => undefined));
    for (const { hookId } of made.hooks)
      await attempt(`/api/webhooks/${encodeURIComponent(`${hookId}`)}/delete`);
    const names = made.names.filter((name) => UPDATABLE.includes(name));
    const fields = Object.fromEntries(names.map((name) => [name, valueAt(before.profile, [name]) ?? ""]));
    if (names.length > 0) await attempt(`${profilePath(customer)}/update`, fields);
    if (made.isMoved) await attempt("/api/update-thread-status", { customerThreadId: thread, status });
    const shown = await look(other, scope);
    const left = changes(shown);
    for (const { hookId } of left.hooks) tell(`the webhook ${hookId} was not deleted: do it by hand`);
    for (const name of left.names) tell(`${name} of ${customer} was not restored: set it by hand`);
    if (left.isMoved) tell(`the status of thread ${thread} was not restored: set it by hand`);
    return shown;
  } catch (error) {
    tell(`${reasonOf(error)}: webhooks, profile and status may not be restored: look by hand`);
    return before;
  } finally {
    other.isUndoing = false;
  }
}

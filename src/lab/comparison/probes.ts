/** The probes that ship: which of them are sent, the world in which the simulator plays them, and how their changes are undone. */
import { isObject, valueAt } from "../../kernel/json.js";
import { counted } from "../../kernel/words.js";
import { paceOf } from "../../scenarios/paced-http.js";
import type { Scenario } from "../../scenarios/read.js";
import { allSteps } from "../../scenarios/step.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import { type OtherSide, OtherSideFailed } from "./other-side.js";

/** What probes may use on the other side. */
export interface ProbeScope {
  readonly thread?: string | undefined;
  readonly customer?: string | undefined;
  /** Whether probes may change `thread` and `customer`, and create webhooks. */
  readonly write: boolean;
}

interface Plan {
  readonly chosen: readonly Scenario[];
  readonly leftOut: readonly string[];
}

/** Which scenarios can be sent with what is given. What only reads comes first. */
export function planOf(scenarios: readonly Scenario[], scope: ProbeScope): Plan {
  const needsOf = ({ probe }: Scenario): readonly string[] => [
    ...(probe?.writes && !scope.write ? ["write"] : []),
    ...(probe?.needs?.filter((need) => scope[need] === undefined) ?? []),
  ];
  const ordered = [...scenarios].sort((a, b) => Number(a.probe?.writes ?? 0) - Number(b.probe?.writes ?? 0));
  return {
    chosen: ordered.filter((one) => needsOf(one).length === 0),
    leftOut: ordered.flatMap((one) => {
      const options = needsOf(one).map((need) => `--${need}`);
      return options.length === 0 ? [] : [`${one.name}: requires ${options.join(" and ")}`];
    }),
  };
}

const callsIn = ({ steps }: Scenario): number =>
  allSteps(steps).filter(({ kind }) => kind.effect === "calls").length;

/** The plan for people to agree to. @param name how messages name the address */
export function planText({ chosen, leftOut }: Plan, url: string, name: string): string {
  const calls = chosen.reduce((sum, scenario) => sum + callsIn(scenario), 0);
  const ms = calls * paceOf(url);
  const speed = ms === 0 ? "" : `, at most two a second (${Math.ceil(ms / 1000)} s or more)`;
  const lines = chosen.flatMap((scenario) => [
    `${scenario.name} (${counted(callsIn(scenario), "call")})`,
    ...(scenario.probe === undefined ? [] : [`  effect    ${scenario.probe.does}`]),
    ...(scenario.probe === undefined ? [] : [`  measures  ${scenario.probe.tells.join(", ")}`]),
  ]);
  return [
    `${counted(chosen.length, "scenario")} with ${counted(calls, "call")} to ${name}${speed}:`,
    ...lines.map((line) => `  ${line}`),
    ...(leftOut.length === 0 ? [] : ["Left out:", ...leftOut.map((line) => `  ${line}`)]),
    "",
  ].join("\n");
}

const profilePath = (customer = ""): string => `/api/customers/${encodeURIComponent(customer)}/profile`;
const ofThread = (path: string, thread: string): string =>
  `/api/${path}?customerThreadId=${encodeURIComponent(thread)}`;

/** What the other side shows of what probes depend on and may change. */
interface Shown {
  readonly webhooks: unknown;
  readonly thread?: unknown;
  readonly templates?: unknown;
  readonly profile?: unknown;
}

/** @throws OtherSideFailed if there is no answer, the token is refused, or a record cannot be read: then nothing must be changed */
export async function look(other: OtherSide, { thread, customer }: ProbeScope): Promise<Shown> {
  const read = async (path: string, option: string): Promise<unknown> => {
    const { status, body } = await other.call("GET", path);
    if (status === 401)
      throw new OtherSideFailed("token", `${other.name} refuses the token: 401 for GET ${path}`);
    if (status < 300) return body;
    const why = "so nothing could be compared or restored";
    throw new OtherSideFailed(option, `GET ${path} returned ${status}, ${why}`);
  };
  return {
    webhooks: await read("/api/webhooks/", "against"),
    ...(thread !== undefined && {
      thread: await read(ofThread("get-customer-thread-details", thread), "thread"),
      templates: await read(ofThread("get-whatsapp-templates", thread), "thread"),
    }),
    ...(customer !== undefined && { profile: await read(profilePath(customer), "customer") }),
  };
}

/** Every webhook that a body has, in whatever form. */
function hooksIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(hooksIn);
  if (!isObject(value)) return [];
  return typeof value.hookId === "string" ? [value] : Object.values(value).flatMap(hooksIn);
}

type Fixture = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

const UPDATABLE = ["firstName", "lastName", "company"] as const;
/** Where probes let webhooks point: nothing has such an address. */
const NOWHERE = "messaging-sim.invalid";
const ORGANIZATION = { organizationId: "200" };
/** Stand for the texts of records, which nobody compares. */
const CUSTOMER: Readonly<Record<string, string>> = {
  ...{ firstName: "Shown", lastName: "Shown", company: "Shown", displayName: "Shown", type: "prospect" },
  ...{ channel: "WHATSAPP", emailAddress: `shown@${NOWHERE}`, phoneNumber: "+15550100000" },
  pictureHref: `https://${NOWHERE}/shown.png`,
};
const THREAD = { businessId: "1001", customerId: "cust_001" };

/** The shipped fixture, with records as empty, open and many as those that the other side shows. */
export function worldLike(fixture: Fixture, shown: Shown, { thread, customer }: ProbeScope): Fixture {
  const foreign = (name: string) =>
    (fixture[name] ?? []).filter((one) => one.organizationId !== ORGANIZATION.organizationId);
  const besides = (name: string, id: string) => (fixture[name] ?? []).filter((one) => one.id !== id);
  const webhooks = hooksIn(shown.webhooks).map(({ enabled }, index) => ({
    ...{ ...ORGANIZATION, id: `${index + 1}`, url: `https://${NOWHERE}/`, subscribedEvents: ["messages"] },
    enabled: enabled !== false,
  }));
  const titles = valueAt(shown.templates, ["templates"]);
  const templates = (Array.isArray(titles) ? titles : []).map((_, index) => ({
    ...{ ...ORGANIZATION, id: `HX${`${index}`.padStart(32, "0")}`, title: "Shown", text: "Shown" },
  }));
  const channel = valueAt(shown.thread, ["customerChannel"]);
  const status = THREAD_STATUSES.find((one) => one === valueAt(shown.thread, ["status"])) ?? "waiting";
  const isMessagingWindowOpen = valueAt(shown.thread, ["isMessagingWindowOpen"]) !== false;
  const person = { ...ORGANIZATION, id: customer, ...personLike(shown.profile) };
  const one = { ...THREAD, id: thread, channel: CHANNEL.test(String(channel)) ? channel : "WHATSAPP" };
  return {
    ...fixture,
    messages: [],
    webhooks: [...foreign("webhooks"), ...webhooks],
    ...(thread !== undefined && {
      threads: [...besides("threads", thread), { ...one, status, isMessagingWindowOpen }],
      templates: [...foreign("templates"), ...templates],
    }),
    ...(customer !== undefined && { customers: [...besides("customers", customer), person] }),
  };
}

const CHANNEL = /^[A-Z][A-Z0-9_]*$/;

function personLike(profile: unknown) {
  const shown = (name: string) => valueAt(profile, [name]);
  // Where the service shows "" only in fields that a client may have emptied, "" may be their value.
  const empty = Object.keys(CUSTOMER).filter((name) => shown(name) === "");
  const isStored = empty.every((name) => (UPDATABLE as readonly string[]).includes(name));
  const texts = Object.entries(CUSTOMER).map(([name, text]) => {
    if (shown(name) === "") return [name, isStored ? "" : null] as const;
    return [name, typeof shown(name) === "string" ? text : null] as const;
  });
  const data = shown("customerData");
  const surveys = ["nps", "preferredChannel"].flatMap((name) => {
    const isAnswered = isObject(valueAt(shown("lastSurveys"), [name]));
    return isAnswered ? [[name, { createdAt: 1_700_000_000_000, text: "Shown" }] as const] : [];
  });
  return {
    ...Object.fromEntries(texts),
    editable: shown("editable") !== false,
    customerData: (Array.isArray(data) ? data : []).map(() => ({ name: "SHOWN", value: "Shown" })),
    lastSurveys: surveys.length === 0 ? null : Object.fromEntries(surveys),
  };
}

/** Gives status and profile their earlier values, and deletes the webhooks of probes; resolves with what could not be undone. */
export async function undo(
  other: OtherSide,
  { thread, customer }: ProbeScope,
  before: Shown,
): Promise<string[]> {
  const left: string[] = [];
  const attempt = async (what: string, method: string, path: string, sent?: unknown): Promise<unknown> => {
    const answer = await other.call(method, path, sent).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status < 300) return answer.body;
    left.push(`${what} (${answer instanceof Error ? answer.message : answer.status}): do it by hand`);
    return undefined;
  };
  other.isUndoing = true;
  const known = new Set(hooksIn(before.webhooks).map(({ hookId }) => hookId));
  for (const { hookId, url } of hooksIn(await attempt("webhooks were not listed", "GET", "/api/webhooks/")))
    if (!known.has(hookId) && String(url).includes(NOWHERE)) {
      const path = `/api/webhooks/${encodeURIComponent(String(hookId))}/delete`;
      await attempt(`the webhook ${hookId} was not deleted`, "POST", path);
    }
  if (customer !== undefined) {
    const what = `the profile of ${customer} was not restored`;
    const changed = async (names: readonly string[]) => {
      const now = await attempt(what, "GET", profilePath(customer));
      return names.filter((name) => isObject(now) && now[name] !== valueAt(before.profile, [name]));
    };
    const names = await changed(UPDATABLE);
    const fields = Object.fromEntries(names.map((name) => [name, valueAt(before.profile, [name]) ?? ""]));
    if (names.length > 0) await attempt(what, "POST", `${profilePath(customer)}/update`, fields);
    for (const name of await changed([...UPDATABLE, "displayName"]))
      left.push(`${name} of ${customer} was not restored: set it by hand`);
  }
  if (thread !== undefined) {
    const what = `the status of thread ${thread} was not restored`;
    const now = await attempt(what, "GET", ofThread("get-customer-thread-details", thread));
    const status = valueAt(before.thread, ["status"]);
    if (valueAt(now, ["status"]) !== status)
      await attempt(what, "POST", "/api/update-thread-status", { customerThreadId: thread, status });
  }
  other.isUndoing = false;
  return left;
}

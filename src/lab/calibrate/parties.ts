/** Which keys and records of a recording belong together, when each key was accepted for what, and when deliveries could be seen. */

import { getOrInsert } from "../../kernel/objects.js";
import { serviceRefusal } from "../../service/domain/refusals.js";
import type { FixtureDocument } from "../../service/world/fixture.js";
import { masked, stable } from "./answers.js";
import { causesIn, eventOf, leadsTo, shownAt } from "./deliveries.js";
import { errorSection } from "./judge.js";
import { type Choices, Span } from "./possible.js";
import type { Exchange, Trace } from "./trace.js";
import { endOf, isAccepted, sentIn, shownIn, textOf, threadsIn, tokenOf, unclear } from "./trace.js";

/** What a record is to a key: of its organization, of another one, or of none. */
type Relation = "own" | "foreign" | "absent";

/** After this time, somebody else may have changed what was known. */
export const MEMORY_MS = 60_000;
/** People do not act within this time. */
const MOMENT_MS = 3_000;
/** How long after its event a delivery may come although others come at once. */
const PROMPT_MS = 500;

/** Ids that the probes of the package have made up: no service has such a record. */
export const isMadeUp = (id: string): boolean =>
  /^(?:messaging-sim-probe|99900000000000|HX0{30}0[ab]$)/.test(id);

const CHANGES_WEBHOOKS: ReadonlySet<string | undefined> = new Set([
  "createWebhook",
  "updateWebhook",
  "deleteWebhook",
  "updateHookUrl",
]);
export const changesWebhooks = (call: Exchange): boolean =>
  CHANGES_WEBHOOKS.has(call.operation) ||
  (call.operation === "graphql" && sentIn(call).query !== "get-hook-query");

/** The documented refusal of a business of another organization. */
export const FOREIGN_BUSINESS = serviceRefusal("widget.foreignBusiness").answer;
const isForeign = ({ message: { status, response } }: Exchange): boolean =>
  stable({ status, body: response.value }) === stable(FOREIGN_BUSINESS);
/** Whether the refusal of a deletion is one that the specification shows for keys that may delete. */
const isOfPermitted = (call: Exchange): boolean => {
  const { error, body } = shownIn(call);
  return (
    Array.isArray(body) ||
    (typeof error === "string" && /^User (?:not found in org|cannot be deleted)/.test(error))
  );
};

interface Use {
  readonly at: number;
  readonly end: number;
  /** Uses of one segment have no transfer of the thread between them. */
  readonly segment: number;
}

export class Parties {
  readonly #parent = new Map<string, string>();
  readonly #size = new Map<string, number>();
  /** Pairs of groups that belong to different organizations. */
  readonly #apart = new Set<string>();
  readonly #accepted = new Map<string, { last: number; readonly operations: Set<string | undefined> }>();
  /** The last answers to a key that are alike: since which exchange, and to which operations. */
  readonly #tails = new Map<string, { since: number; readonly operations: Set<string | undefined> }>();
  readonly #uses = new Map<string, Use[]>();
  readonly #transfers = new Map<string, number[]>();
  /** When the widget route returned a thread that nothing had shown before. */
  readonly #madeAt = new Map<string, number>();
  readonly #deleters = new Set<string>();
  /** By group: the times between two deliveries of messages to one address without a change of webhooks in between. */
  readonly #seenDeliveries = new Map<string, { least: number; most: number }[]>();
  readonly causes: ReadonlyMap<Exchange, Exchange>;
  #lag = Number.POSITIVE_INFINITY;
  /** By delivery: at least how far the clock of the recording was ahead of that of the service. */
  readonly #ahead = new Map<Exchange, number>();
  #lastAhead: number | undefined;
  readonly #heard = new Map<string, Exchange[]>();
  /** The size of the largest body that was accepted. */
  largestBody = 0;
  /** Whether some business was refused as the specification says of one of another organization. */
  showsForeign = false;

  constructor(
    readonly trace: Trace,
    readonly fixture?: FixtureDocument,
  ) {
    this.causes = causesIn(trace);
    if (fixture !== undefined) this.#take(fixture);
    for (const exchange of trace) if (exchange.kind !== "call") this.#delivery(exchange);
    for (const exchange of trace) if (exchange.kind === "call") this.#call(exchange);
    this.#findMade();
    if (fixture !== undefined) this.#identify(fixture);
    this.#findForeign();
    this.#findTails();
    this.#findSeen();
  }

  rootOf(node: string): string {
    let root = node;
    for (let above = this.#parent.get(root); above !== undefined; above = this.#parent.get(root))
      root = above;
    if (root !== node) this.#parent.set(node, root);
    return root;
  }

  #unite(...nodes: readonly (string | undefined)[]): void {
    const [first, ...others] = nodes.filter((node) => node !== undefined);
    for (const other of others) {
      const [a, b] = [this.rootOf(first as string), this.rootOf(other)];
      if (a === b) continue;
      this.#parent.set(b, a);
      this.#size.set(a, (this.#size.get(a) ?? 1) + (this.#size.get(b) ?? 1));
    }
  }

  #take({ businesses, customers, threads, users, tokens }: FixtureDocument): void {
    for (const { id, organizationId } of businesses)
      this.#unite(`organization ${organizationId}`, `business ${id}`);
    for (const { id, organizationId } of customers)
      this.#unite(`organization ${organizationId}`, `customer ${id}`);
    for (const { id, businessId } of threads) this.#unite(`business ${businessId}`, `thread ${id}`);
    const organizations = new Map(users.map(({ id, organizationId }) => [id, organizationId]));
    for (const { id, userId } of tokens)
      this.#unite(`organization ${organizations.get(userId)}`, `key ${id}`);
  }

  #call(call: Exchange): void {
    if (call.operation === "deleteUserByEmail" && (isAccepted(call) || isOfPermitted(call)))
      this.#deleters.add(tokenOf(call));
    if (call.operation === "sendMessageToBusiness" && isForeign(call)) this.showsForeign = true;
    if (!isAccepted(call)) return;
    this.largestBody = Math.max(this.largestBody, call.message.request.bytes);
    const [token, { operation }] = [tokenOf(call), call];
    if (operation === undefined) return;
    const accepted = getOrInsert(this.#accepted, token, () => ({ last: 0, operations: new Set() }));
    accepted.last = call.at;
    accepted.operations.add(operation);
    const [thread, ...more] = threadsIn(call);
    if (thread !== undefined && more.length === 0) {
      this.#unite(`key ${token}`, `thread ${thread}`);
      const uses = getOrInsert(this.#uses, `${token} ${thread}`, () => []);
      const before = uses.at(-1);
      const isMoved = before !== undefined && this.#isMoved(thread, before.at, call.at);
      const segment = (before?.segment ?? 0) + (isMoved ? 1 : 0);
      uses.push({ at: call.at, end: endOf(call), segment });
    }
    if (call.params.customerId !== undefined)
      this.#unite(`key ${token}`, `customer ${call.params.customerId}`);
    if (operation !== "sendMessageToBusiness") return;
    const made = textOf(shownIn(call).customerThreadId);
    this.#unite(
      `key ${token}`,
      `business ${textOf(sentIn(call).businessId)}`,
      made === undefined ? undefined : `thread ${made}`,
    );
  }

  #delivery(delivery: Exchange): void {
    const event = eventOf(delivery);
    const thread = textOf(event.customerThreadId);
    const named = [
      ["organization", event.organizationId],
      ["thread", thread],
      ["customer", event.customerId],
      ["business", event.businessId],
      ["business", event.previousBusinessId],
      ["business", event.newBusinessId],
    ] as const;
    this.#unite(
      ...named.flatMap(([kind, id]) => (textOf(id) === undefined ? [] : [`${kind} ${textOf(id)}`])),
    );
    if (thread !== undefined)
      if (delivery.kind === "transfer") getOrInsert(this.#transfers, thread, () => []).push(delivery.at);
      else getOrInsert(this.#heard, thread, () => []).push(delivery);
    const [shown, cause] = [shownAt(delivery), this.causes.get(delivery)];
    if (shown === undefined) return;
    this.#lag = Math.min(this.#lag, delivery.at - shown);
    // A time in seconds may be that of the next one.
    if (cause !== undefined && shown % 1_000 !== 0) this.#lastAhead = cause.at - shown;
    if (this.#lastAhead !== undefined) this.#ahead.set(delivery, this.#lastAhead);
  }

  /**
   * When the event of a delivery happened: during the call that caused it. Of others, the promptest delivery, and the last event
   * that a call caused, tell how the service's clock compares.
   */
  happened(delivery: Exchange): Span {
    const cause = this.causes.get(delivery);
    if (cause !== undefined) return new Span(cause.at, endOf(cause));
    const shown = shownAt(delivery);
    const late = shown === undefined ? MEMORY_MS : Math.max(0, delivery.at - shown - this.#lag) + PROMPT_MS;
    const ahead = this.#ahead.get(delivery);
    const earliest = shown === undefined || ahead === undefined ? 0 : Math.min(shown + ahead, delivery.at);
    return new Span(Math.max(delivery.at - late, earliest), delivery.at);
  }

  #isMoved(thread: string, from: number, to: number): boolean {
    return (this.#transfers.get(thread) ?? []).some((at) => at >= from && at - MEMORY_MS <= to);
  }

  /** The keys of a recording may be stand-ins for those of the fixture: each is in the organization of all that could be it. */
  #identify({ tokens, users, threads }: FixtureDocument): void {
    const known = new Set(tokens.map(({ id }) => id));
    const businessOf = new Map(threads.map(({ id, businessId }) => [id, businessId]));
    for (const token of this.#accepted.keys()) {
      if (known.has(token)) continue;
      const used = [...this.#uses.keys()].flatMap((use) =>
        use.startsWith(`${token} `) ? [use.slice(token.length + 1)] : [],
      );
      const possible = tokens.flatMap(({ userId }) => {
        const user = users.find(({ id }) => id === userId);
        const fits = used.every((id) => {
          const businessId = businessOf.get(id);
          return (
            businessId === undefined || user?.businessIds.includes(businessId) || this.#transfers.has(id)
          );
        });
        return user !== undefined && fits ? [user.organizationId] : [];
      });
      const [organization, ...others] = new Set(possible);
      if (organization !== undefined && others.length === 0)
        this.#unite(`key ${token}`, `organization ${organization}`);
    }
  }

  #findMade(): void {
    const seen = new Set<string>(this.fixture?.threads.map(({ id }) => id));
    for (const exchange of this.trace) {
      const isCall = exchange.kind === "call";
      const made =
        exchange.operation === "sendMessageToBusiness"
          ? textOf(shownIn(exchange).customerThreadId)
          : undefined;
      if (made !== undefined && !seen.has(made)) this.#madeAt.set(`thread ${made}`, exchange.at);
      const others = isCall
        ? isAccepted(exchange)
          ? threadsIn(exchange)
          : []
        : [textOf(eventOf(exchange).customerThreadId)];
      for (const id of [made, ...others]) if (id !== undefined) seen.add(id);
    }
  }

  #findForeign(): void {
    const organizations = [...new Set([...this.#parent.keys(), ...this.#parent.values()])].filter((node) =>
      node.startsWith("organization "),
    );
    const roots = [...new Set(organizations.map((node) => this.rootOf(node)))];
    for (const a of roots) for (const b of roots) if (a !== b) this.#apart.add(`${a}|${b}`);
    for (const call of this.trace) {
      const business = `business ${textOf(sentIn(call).businessId)}`;
      if (call.operation !== "sendMessageToBusiness" || !isForeign(call) || !this.isKnown(business)) continue;
      const [a, b] = [this.rootOf(`key ${tokenOf(call)}`), this.rootOf(business)];
      this.#apart.add(`${a}|${b}`).add(`${b}|${a}`);
    }
  }

  #findTails(): void {
    const answers = new Map<string, string>();
    for (const [index, call] of [...this.trace.entries()].reverse()) {
      const token = tokenOf(call);
      if (call.kind !== "call" || call.operation === "graphql" || unclear(call) !== undefined) continue;
      const answer = isAccepted(call)
        ? ""
        : stable([call.message.status, call.message.response.value].map(masked));
      const isAlike = answer !== "" && (answers.get(token) ?? answer) === answer;
      answers.set(token, isAlike ? answer : "");
      if (!isAlike) continue;
      const tail = getOrInsert(this.#tails, token, () => ({ since: index, operations: new Set() }));
      tail.since = index;
      tail.operations.add(call.operation);
    }
  }

  #findSeen(): void {
    const last = new Map<string, { least: number; most: number }>();
    let change: Exchange | undefined;
    for (const exchange of this.trace) {
      if (exchange.kind === "call") {
        if (!changesWebhooks(exchange)) continue;
        last.clear();
        change = exchange;
      } else if (exchange.kind !== "transfer") {
        const group = this.rootOf(`thread ${textOf(eventOf(exchange).customerThreadId)}`);
        const name = `${group} ${exchange.url}`;
        // A webhook that the recording shows to be made is there since then.
        const isMade =
          change !== undefined && isAccepted(change) && leadsTo(sentIn(change).url, exchange.url);
        const least = isMade ? endOf(change as Exchange) : exchange.at;
        const span = last.get(name) ?? { least, most: exchange.at };
        if (!last.has(name)) getOrInsert(this.#seenDeliveries, group, () => []).push(span);
        last.set(name, span);
        span.most = exchange.at;
      }
    }
  }

  /** Whether messages of a thread's organization were delivered, and recorded, all the time. */
  areDelivered(thread: string, from: number, to: number): boolean {
    const spans = this.#seenDeliveries.get(this.rootOf(`thread ${thread}`)) ?? [];
    return spans.some(({ least, most }) => least <= from && most >= to);
  }

  /** Whether every message in a thread from some time until a call is known by then. */
  areSeen(thread: string, from: number, call: Exchange): boolean {
    const next = this.#heard.get(thread)?.find((one) => one.at > call.at && !this.causes.has(one));
    const isLate = next !== undefined && this.happened(next).least <= endOf(call);
    return !isLate && this.areDelivered(thread, from, endOf(call));
  }

  groupOf = (token: string): string => this.rootOf(`key ${token}`);
  isKnown = (node: string): boolean => (this.#size.get(this.rootOf(node)) ?? 1) > 1;
  /** Whether two keys may belong to one organization. */
  mayShare = (group: string, other: string): boolean => !this.#apart.has(`${group}|${other}`);

  /** Whether a key is valid at the time of a call: it may have been unknown all the time, or expired since it was last accepted. */
  isValid(choices: Choices, call: Exchange, index: number): boolean {
    const token = tokenOf(call);
    const accepted = this.#accepted.get(token);
    if (accepted === undefined)
      return !isMadeUp(token) && !this.#isOfKey(call) && choices.isTrue(`${token} is a key`);
    if (call.at <= accepted.last || index < (this.#tails.get(token)?.since ?? Number.POSITIVE_INFINITY))
      return true;
    return choices.isTrue(`${token} is still a key at #${index}`);
  }

  /** Whether a 401 can only be of the key: what the call names, if anything, is there. */
  #isOfKey(call: Exchange): boolean {
    const { message, params } = call;
    const named = [
      ...threadsIn(call).map((id) => `thread ${id}`),
      ...(params.customerId === undefined ? [] : [`customer ${params.customerId}`]),
    ];
    return message.status === 401 && params.webHookId === undefined && named.every(this.isKnown);
  }

  wasAccepted = (token: string): boolean => this.#accepted.has(token);

  mayDelete = (choices: Choices, call: Exchange): boolean =>
    this.#deleters.has(tokenOf(call)) || choices.isTrue(`${tokenOf(call)} may delete users`);

  /** Whether a key has a permission that the table may require of an operation: its lack is only told from the answer. */
  mayCall(choices: Choices, call: Exchange, index: number): boolean {
    const { operation, message } = call;
    // Of some operations, the specification shows all refusals.
    const isListed = errorSection(operation) !== undefined && message.status !== 403;
    const tail = this.#tails.get(tokenOf(call));
    // Who is refused everything has no key rather than no permission.
    const isOfKey = tail !== undefined && index >= tail.since && tail.operations.size > 1;
    return (
      isListed ||
      isOfKey ||
      this.#accepted.get(tokenOf(call))?.operations.has(operation) ||
      choices.isTrue(`${tokenOf(call)} may call ${operation}`)
    );
  }

  relation(choices: Choices, token: string, node: string, at: number): Relation {
    const [own, group] = [this.groupOf(token), this.rootOf(node)];
    if ((this.#madeAt.get(node) ?? 0) > at) return choices.pick(`${node} before`, ["own", "absent"]);
    if (own === group) return "own";
    if (!this.isKnown(node)) {
      if (this.fixture !== undefined || isMadeUp(node.slice(node.indexOf(" ") + 1))) return "absent";
      return choices.pick(`${node} for ${own}`, ["own", "foreign", "absent"]);
    }
    if (!this.mayShare(own, group)) return "foreign";
    const pair = [own, group].sort().join(" and ");
    return choices.isTrue(`${pair} belong together`) ? "own" : "foreign";
  }

  /** How a record that is not of the key's organization is refused (`ids.foreign`); undefined if it is. */
  hides(choices: Choices, call: Exchange, node: string): "notFound" | "notAccessible" | undefined {
    const relation = this.relation(choices, tokenOf(call), node, call.at);
    if (relation === "own") return undefined;
    return relation === "absent" || choices.entry("ids.foreign") === "unknown" ? "notFound" : "notAccessible";
  }

  /** Whether a key has access to a thread of its organization: as when it was accepted shortly before or after, or both. */
  hasAccess(choices: Choices, token: string, thread: string, call: Exchange, index: number): boolean {
    const uses = this.#uses.get(`${token} ${thread}`) ?? [];
    const later = uses.findIndex(({ at }) => at >= call.at);
    const [before, next] = later < 0 ? [uses.at(-1)] : [uses[later - 1], uses[later]];
    // Where no deliveries come, nobody is seen to transfer the thread.
    const isKept = (from: number, to: number) =>
      to - from <= MEMORY_MS &&
      !this.#isMoved(thread, from, to) &&
      (to - from <= MOMENT_MS || this.areDelivered(thread, from, to));
    const near = (use: Use | undefined, from: number, to: number) =>
      use !== undefined && isKept(from, to) ? use.segment : undefined;
    const segment =
      before !== undefined && before.segment === next?.segment
        ? before.segment
        : (near(before, before?.end ?? 0, endOf(call)) ?? near(next, call.at, next?.at ?? 0));
    return choices.isTrue(`${token} has access to ${thread} ${segment ?? `at #${index}`}`);
  }
}

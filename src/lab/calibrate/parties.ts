/** Which keys and records of a recording belong together, when each key was accepted for what, and when deliveries could be seen. */

import { getOrInsert } from "../../kernel/objects.js";
import { serviceRefusal } from "../../service/domain/refusals.js";
import type { FixtureDocument } from "../../service/world/records.js";
import { masked, stable } from "./answers.js";
import { errorSection } from "./judge.js";
import { type Choices, Span } from "./possible.js";
import type { Exchange, Trace } from "./trace.js";
import {
  causesIn,
  endOf,
  eventOf,
  isAccepted,
  sentIn,
  shownAt,
  shownIn,
  textOf,
  threadsIn,
  tokenOf,
  unclear,
} from "./trace.js";

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

export class Parties {
  readonly #parent = new Map<string, string>();
  readonly #accepted = new Map<string, { last: number; readonly operations: Set<string | undefined> }>();
  /** The last answers to a key that are alike: since which exchange, and to which operations. */
  readonly #tails = new Map<string, { since: number; readonly operations: Set<string | undefined> }>();
  /** The first of the accepted calls whose access to its thread a call has as well. */
  readonly #accesses = new Map<Exchange, number>();
  readonly #transfers = new Map<string, number[]>();
  /** By thread: the deliveries to come of messages that no call has caused. */
  readonly #messages = new Map<string, Exchange[]>();
  readonly #deleters = new Set<string>();
  /** By group: the times between two deliveries of messages to one address without a change of webhooks in between. */
  readonly #seenDeliveries = new Map<string, { readonly least: number; most: number }[]>();
  readonly causes: ReadonlyMap<Exchange, Exchange>;
  #lag = Number.POSITIVE_INFINITY;
  /** The size of the largest body that was accepted. */
  largestBody = 0;
  /** The code points of the longest text that was accepted. */
  longestText = 0;
  /** Whether some business was refused as the specification says of one of another organization. */
  showsForeign = false;

  constructor(
    readonly trace: Trace,
    readonly fixture?: FixtureDocument,
  ) {
    this.causes = causesIn(trace);
    if (fixture !== undefined) this.#take(fixture);
    for (const exchange of trace)
      if (exchange.kind === "call") this.#call(exchange);
      else this.#delivery(exchange);
    this.#findSeen();
    this.#findAccesses();
    this.#findTails();
  }

  rootOf(node: string): string {
    let root = node;
    for (let above = this.#parent.get(root); above !== undefined && above !== root; ) {
      root = above;
      above = this.#parent.get(root);
    }
    if (root !== node) this.#parent.set(node, root);
    return root;
  }

  #unite(...nodes: readonly string[]): void {
    const [first = "", ...others] = nodes;
    for (const other of others) {
      const root = this.rootOf(first);
      this.#parent.set(root, root).set(this.rootOf(other), root);
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
    const { operation, params } = call;
    const token = tokenOf(call);
    if (operation === "deleteUserByEmail" && (isAccepted(call) || isOfPermitted(call)))
      this.#deleters.add(token);
    if (operation === "sendMessageToBusiness" && isForeign(call)) this.showsForeign = true;
    if (!isAccepted(call)) return;
    this.largestBody = Math.max(this.largestBody, call.message.request.bytes);
    if (operation === undefined) return;
    const { text, message } = sentIn(call);
    if (operation === "sendMessageToCustomerThread" || operation === "sendMessageToBusiness")
      this.longestText = Math.max(this.longestText, [...String(text ?? message ?? "")].length);
    const accepted = getOrInsert(this.#accepted, token, () => ({ last: 0, operations: new Set() }));
    accepted.last = call.at;
    accepted.operations.add(operation);
    const named: [string, unknown][] = [["customer", params.customerId]];
    const threads = threadsIn(call);
    if (threads.length === 1) named.push(["thread", threads[0]]);
    if (operation === "sendMessageToBusiness")
      named.push(["business", sentIn(call).businessId], ["thread", shownIn(call).customerThreadId]);
    this.#unite(`key ${token}`, ...nodesOf(named));
  }

  #delivery(delivery: Exchange): void {
    const event = eventOf(delivery);
    const thread = textOf(event.customerThreadId);
    this.#unite(
      ...nodesOf([
        ["organization", event.organizationId],
        ["thread", thread],
        ["customer", event.customerId],
        ["business", event.businessId],
        ["business", event.previousBusinessId],
        ["business", event.newBusinessId],
      ]),
    );
    if (thread !== undefined && delivery.kind === "transfer")
      getOrInsert(this.#transfers, thread, () => []).push(delivery.at);
    else if (thread !== undefined && !this.causes.has(delivery))
      getOrInsert(this.#messages, thread, () => []).push(delivery);
    this.#lag = Math.min(this.#lag, delivery.at - (shownAt(delivery) ?? Number.NEGATIVE_INFINITY));
  }

  /** When the event of a delivery happened: during the call that caused it, or earlier as far as the promptest delivery tells. */
  happened(delivery: Exchange): Span {
    const cause = this.causes.get(delivery);
    if (cause !== undefined) return new Span(cause.at, endOf(cause));
    const shown = shownAt(delivery);
    const late = shown === undefined ? MEMORY_MS : delivery.at - shown - this.#lag + PROMPT_MS;
    return new Span(delivery.at - late, delivery.at);
  }

  #findSeen(): void {
    const last = new Map<string, { readonly least: number; most: number }>();
    for (const exchange of this.trace) {
      const { at, kind, url } = exchange;
      if (kind === "call" && changesWebhooks(exchange)) last.clear();
      if (kind === "call" || kind === "transfer") continue;
      const group = this.rootOf(`thread ${textOf(eventOf(exchange).customerThreadId)}`);
      const span = getOrInsert(last, `${group} ${url}`, () => {
        const begun = { least: at, most: at };
        getOrInsert(this.#seenDeliveries, group, () => []).push(begun);
        return begun;
      });
      span.most = at;
    }
  }

  /** Whether messages of a thread's organization were delivered, and recorded, all the time. */
  areDelivered(thread: string, from: number, to: number): boolean {
    const spans = this.#seenDeliveries.get(this.rootOf(`thread ${thread}`)) ?? [];
    return spans.some(({ least, most }) => least <= from && most >= to);
  }

  /** Whether all messages in a thread from some time until a call are known by then: a delivery may come after the call. */
  areSeen(thread: string, from: number, call: Exchange): boolean {
    const coming = this.#messages.get(thread) ?? [];
    while (coming[0] !== undefined && coming[0].at <= call.at) coming.shift();
    const [next] = coming;
    const isLate = next !== undefined && this.happened(next).least <= endOf(call);
    return !isLate && this.areDelivered(thread, from, endOf(call));
  }

  /** A key has access to a thread as when it was accepted shortly before or, if it was not, shortly after. */
  #findAccesses(): void {
    const calls = [...this.trace.entries()].filter(
      ([, call]) => call.kind === "call" && threadsIn(call).length === 1,
    );
    const before = new Map<string, Exchange>();
    const after = new Map<string, Exchange>();
    for (const [last, list] of [[before, calls] as const, [after, calls.toReversed()] as const])
      for (const [index, call] of list) {
        const [thread = ""] = threadsIn(call);
        const name = `${tokenOf(call)} ${thread}`;
        const other = last.get(name);
        const [first, second] = last === before ? [other, call] : [call, other];
        const isNear = first && second && this.#isKept(thread, endOf(first), second.at);
        const access = isNear && other ? this.#accesses.get(other) : isAccepted(call) ? index : undefined;
        if (access !== undefined && !this.#accesses.has(call)) this.#accesses.set(call, access);
        if (isAccepted(call)) last.set(name, call);
      }
  }

  /** Whether nobody has transferred a thread meanwhile: where no deliveries come, that is not seen. */
  #isKept(thread: string, from: number, to: number): boolean {
    const isMoved = this.#transfers.get(thread)?.some((at) => at >= from && at - MEMORY_MS <= to);
    const isSeen = to - from <= MOMENT_MS || this.areDelivered(thread, from, to);
    return to - from <= MEMORY_MS && !isMoved && isSeen;
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

  groupOf = (token: string): string => this.rootOf(`key ${token}`);
  isKnown = (node: string): boolean => this.#parent.has(node);

  /** Whether a key is valid at the time of a call: it may have been unknown all the time, or expired since it was last accepted. */
  isValid(choices: Choices, call: Exchange, index: number): boolean {
    const { message, params } = call;
    const token = tokenOf(call);
    const accepted = this.#accepted.get(token);
    if (accepted === undefined) {
      const named = nodesOf([
        ["customer", params.customerId],
        ...threadsIn(call).map((id) => ["thread", id] as const),
      ]);
      // What the call names is there, so that a 401 can only be of the key.
      const isOfKey = message.status === 401 && params.webHookId === undefined && named.every(this.isKnown);
      return !isMadeUp(token) && !isOfKey && choices.isTrue(`${token} is a key`);
    }
    if (call.at <= accepted.last || index < (this.#tails.get(token)?.since ?? Number.POSITIVE_INFINITY))
      return true;
    return choices.isTrue(`${token} is still a key at #${index}`);
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

  relation(choices: Choices, token: string, node: string): Relation {
    const [own, group] = [this.groupOf(token), this.rootOf(node)];
    if (own === group) return "own";
    if (!this.isKnown(node)) {
      if (this.fixture !== undefined || isMadeUp(node.slice(node.indexOf(" ") + 1))) return "absent";
      return choices.pick(`${node} for ${own}`, ["own", "foreign", "absent"]);
    }
    const pair = [own, group].sort().join(" and ");
    return choices.isTrue(`${pair} belong together`) ? "own" : "foreign";
  }

  /** How a record that is not of the key's organization is refused (`ids.foreign`); undefined if it is. */
  hides(choices: Choices, call: Exchange, node: string): "notFound" | "notAccessible" | undefined {
    const relation = this.relation(choices, tokenOf(call), node);
    if (relation === "own") return undefined;
    return relation === "absent" || choices.entry("ids.foreign") === "unknown" ? "notFound" : "notAccessible";
  }

  hasAccess = (choices: Choices, token: string, thread: string, call: Exchange, index: number): boolean =>
    choices.isTrue(`${token} has access to ${thread} at #${this.#accesses.get(call) ?? index}`);
}

const nodesOf = (named: readonly (readonly [kind: string, id: unknown])[]): string[] =>
  named.flatMap(([kind, id]) => (textOf(id) === undefined ? [] : [`${kind} ${textOf(id)}`]));

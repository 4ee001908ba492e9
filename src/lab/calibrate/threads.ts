/** What a recording shows of threads, and what calls about them come to in the possible worlds. */

import { getOrInsert, isKeyOf, isObject } from "../../kernel/objects.js";
import { CONTACTS } from "../../service/domain/widget.js";
import type { FixtureDocument } from "../../service/world/records.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import { UNKNOWN } from "./answers.js";
import type { Passed } from "./checks.js";
import { invalid, ruled } from "./checks.js";
import { changed, errorSection, type Mismatch, mismatch, type Outcome, succeeds } from "./judge.js";
import { FOREIGN_BUSINESS, isMadeUp, MEMORY_MS, type Parties } from "./parties.js";
import { type Choices, Span } from "./possible.js";
import type { Changing, Exchange, Trace, Trust } from "./trace.js";
import {
  effectOf,
  endOf,
  eventOf,
  isAccepted,
  sentIn,
  shownIn,
  textOf,
  threadsIn,
  tokenOf,
} from "./trace.js";

const STATUS = "States and transitions / Thread status";

/** What the exchanges so far have shown of a thread. */
interface Thread extends Changing {
  channel?: string | undefined;
  businessId?: string | undefined;
  customerId?: string | undefined;
  /** The status without automatic moves; `isWritten`: a call has set it. */
  status?:
    | {
        readonly value: (choices: Choices) => string | undefined;
        readonly at: number;
        readonly isWritten?: boolean;
      }
    | undefined;
  /** The last message that may have moved it since. */
  moved?: { readonly to: "waiting" | "replied"; readonly at: number } | undefined;
  /** The window as last seen. */
  window?: { readonly isOpen: boolean; readonly at: number } | undefined;
  /** When a customer's message last opened the window, if it does. */
  opened?: Span | undefined;
  /** The keys that began it by the widget route. */
  readonly makers: Set<string>;
  /** The contacts for which the widget route returned it, without case. */
  readonly contacts: Set<string>;
  /** Whether the widget route returned it before anything else showed it. */
  isMade?: true;
  templates?: ReadonlyMap<string, string>;
}

/** The contact that a conversation begins with, named within its organization as written and without case. */
interface Contact {
  readonly field: string;
  readonly exact: string;
  readonly caseless: string;
}

export class Threads {
  readonly #threads = new Map<string, Thread>();
  /** Conversations of the widget route, by each name of their contact. */
  readonly #conversations = new Map<string, { threads: string[]; customers: Set<unknown> }>();
  /** The last list of templates of each group. */
  readonly #listed = new Map<string, { readonly thread: string; readonly ids: string }>();

  constructor(
    trace: Trace,
    readonly parties: Parties,
    fixture?: FixtureDocument,
  ) {
    const at = trace[0]?.at ?? 0;
    for (const { id, channel, businessId, customerId, status, isMessagingWindowOpen } of fixture?.threads ??
      [])
      Object.assign(this.#thread(id), {
        channel,
        businessId,
        customerId,
        status: { value: () => status, at },
        window: { isOpen: isMessagingWindowOpen, at },
      });
    // A thread keeps its customer.
    for (const delivery of trace.filter(({ kind }) => kind !== "call")) {
      const event = eventOf(delivery);
      const thread = this.#thread(textOf(event.customerThreadId) ?? "");
      thread.customerId ??= textOf(event.customerId);
      thread.channel ??= textOf(event.channel) ?? textOf(event.customerChannel);
      thread.businessId ??= textOf(event.businessId) ?? textOf(event.previousBusinessId);
    }
  }

  #thread = (id: string): Thread =>
    getOrInsert(this.#threads, id, () => ({ busyUntil: 0, makers: new Set(), contacts: new Set() }));

  /** The refusal of a call that names a thread; undefined if the key may use it. */
  #refusal(
    choices: Choices,
    call: Exchange,
    index: number,
    id: string,
    isRead: boolean,
  ): Outcome | undefined {
    const [token, scope] = [tokenOf(call), { customerThreadId: id }];
    const hidden = this.parties.hides(choices, call, `thread ${id}`);
    if (hidden !== undefined) return { refusal: `threads.${hidden}`, scope };
    if (isRead && choices.entry("threads.readAccess") === "organization") return undefined;
    const isMaker = this.#thread(id).makers.has(token);
    if (isMaker && choices.entry("widget.threadAccess") === "token") return undefined;
    return this.parties.hasAccess(choices, token, id, call, index)
      ? undefined
      : { refusal: "threads.notAccessible", scope };
  }

  /** The status at the time of a call; undefined if anything is possible. */
  #statusAt(choices: Choices, id: string, call: Exchange): string | undefined {
    const { status, moved, busyUntil } = this.#thread(id);
    if (call.at < busyUntil) return undefined;
    const value =
      status !== undefined && call.at - status.at <= MEMORY_MS ? status.value(choices) : undefined;
    if (moved === undefined || choices.entry("threadStatus.autoMoves") === "none") return value;
    const isLast = call.at - moved.at <= MEMORY_MS && this.parties.areSeen(id, moved.at, call);
    return isLast ? moved.to : undefined;
  }

  #isWindowOpen(choices: Choices, id: string, call: Exchange, index: number): boolean {
    const { opened, window, channel, isMade } = this.#thread(id);
    if (!choices.isTrue(`window.channels ${channel ?? `of ${id}`}`)) return true;
    if (!choices.pick("window.duration is set", [false, true])) {
      const isNew = isMade && this.#isNew(choices, id);
      return isNew ? choices.entry("widget.window") === "open" : choices.isTrue(`window of ${id}`);
    }
    const anything = () => choices.isTrue(`window of ${id} at #${index}`);
    if (!this.parties.areSeen(id, opened?.least ?? window?.at ?? call.at, call)) return anything();
    if (opened === undefined) return window?.isOpen !== false && anything();
    if (choices.atLeast("window.duration", endOf(call) - opened.least + 1)) return true;
    if (!choices.atLeast("window.duration", Math.max(0, call.at - opened.most) + 1)) return false;
    return anything();
  }

  /** Whether a thread that the widget route returned was begun then, and not continued. */
  #isNew(choices: Choices, id: string): boolean {
    return choices.entry("widget.reuse") === "never" || choices.isTrue(`${id} is new`);
  }

  details(choices: Choices, call: Exchange, index: number, { query }: Passed): Outcome {
    const id = String(query.customerThreadId);
    const refusal = this.#refusal(choices, call, index, id, true);
    if (refusal !== undefined || !isAccepted(call)) return refusal ?? succeeds();
    const { status, isMessagingWindowOpen, customerChannel } = shownIn(call);
    const thread = this.#thread(id);
    if (thread.channel !== undefined && thread.channel !== customerChannel)
      return differs("customerChannel", thread.channel, customerChannel);
    const expected = this.#statusAt(choices, id, call);
    if (expected !== undefined && expected !== status)
      return differs(
        "status",
        expected,
        status,
        thread.moved === undefined && thread.status?.isWritten ? STATUS : undefined,
      );
    const isOpen = this.#isWindowOpen(choices, id, call, index);
    return isOpen === isMessagingWindowOpen
      ? succeeds()
      : differs("isMessagingWindowOpen", isOpen, isMessagingWindowOpen);
  }

  templates(choices: Choices, call: Exchange, index: number, { query }: Passed): Outcome {
    const id = String(query.customerThreadId);
    const refusal = this.#refusal(choices, call, index, id, true);
    if (refusal !== undefined || !isAccepted(call)) return refusal ?? succeeds();
    const thread = this.#thread(id);
    const has = choices.isTrue(`templates.channels ${thread.channel ?? `of ${id}`}`);
    const ids = [...templatesIn(call).keys()].sort().join();
    if (!has) return ids === "" ? succeeds() : differs("templates", [], ids);
    const other = this.#listed.get(this.parties.groupOf(tokenOf(call)));
    if (other === undefined || other.ids === ids) return succeeds();
    const { businessId } = this.#thread(other.thread);
    const isShared = businessId !== undefined && businessId === thread.businessId;
    const isOfAll = isShared || choices.entry("templates.scope") === "organization";
    return isOfAll ? differs("templates", other.ids, ids) : succeeds();
  }

  status(choices: Choices, call: Exchange, index: number, { body }: Passed): Outcome {
    const [id, to] = [String(body.customerThreadId), String(body.status)];
    const refusal = this.#refusal(choices, call, index, id, false);
    if (refusal !== undefined) return refusal;
    const from =
      this.#statusAt(choices, id, call) ?? choices.pick(`status of ${id} at #${index}`, THREAD_STATUSES);
    if (from !== to && !choices.isTrue(`threadStatus.transitions ${from} ${to}`))
      return { refusal: "threadStatus.transitionError", scope: { customerThreadId: id, from, to } };
    const { businessId, customerId, channel } = this.#thread(id);
    return {
      success: "threadStatus.response",
      scope: { thread: { id, businessId, customerId, channel, status: to } },
    };
  }

  send(
    choices: Choices,
    call: Exchange,
    index: number,
    { body }: Passed,
    messageId: string | undefined,
  ): Outcome {
    const id = String(body.customerThreadId);
    const {
      text,
      contentSid: sid,
      internal = false,
    } = body as { text?: string; contentSid?: string; internal?: boolean };
    const thread = this.#thread(id);
    const ofTemplate = (): Outcome | undefined => {
      const isKnown =
        thread.templates?.has(sid ?? "") ??
        (!isMadeUp(sid ?? "") && choices.isTrue(`${sid} is a template of ${id}`));
      return isKnown
        ? undefined
        : { refusal: "templates.unknown", scope: { contentSid: sid, customerThreadId: id } };
    };
    const ofInternal = () =>
      internal && choices.entry("templates.internal") === "reject" ? invalid("@.contentSid") : undefined;
    const ofWindow = (): Outcome | undefined => {
      const isExempt = internal && choices.entry("window.internalMessages") === "exempt";
      const isAllowed = isExempt || this.#isWindowOpen(choices, id, call, index);
      return isAllowed ? undefined : { refusal: "window.closedError", scope: { customerThreadId: id } };
    };
    const ofText = () => this.#textRefusal(choices, call, text, "@.text");
    const refusal =
      this.#refusal(choices, call, index, id, false) ??
      ruled(choices, call, index, sid === undefined ? [ofText, ofWindow] : [ofInternal, ofTemplate]);
    if (refusal !== undefined) return refusal;
    const sent = text ?? thread.templates?.get(sid ?? "");
    const message = {
      id: messageId,
      threadId: id,
      fromCustomer: false,
      invisible: internal,
      text: sent,
      contentSid: sid ?? null,
    };
    return { success: "sendMessage.response", scope: { message } };
  }

  /** The refusal of a text, by its length. */
  #textRefusal(
    choices: Choices,
    call: Exchange,
    text: string | undefined,
    property: string,
  ): Outcome | undefined {
    if (text === undefined) return undefined;
    if (text === "" && choices.entry("messages.emptyText") === "reject") return invalid(property);
    const [units, points] = [text.length, [...text].length];
    if (!isAccepted(call) && units <= this.parties.longestText) return undefined;
    const length = units === points || choices.entry("limits.textUnit") === "codePoint" ? points : units;
    if (choices.atLeast("limits.textLength", length)) return undefined;
    return { refusal: "limits.textLengthError", scope: { property, limit: UNKNOWN, length } };
  }

  widget(choices: Choices, call: Exchange, index: number, { body }: Passed): Outcome {
    const businessId = String(body.businessId);
    const relation = this.parties.relation(choices, tokenOf(call), `business ${businessId}`);
    const section = errorSection(call.operation) ?? "";
    // An id that nobody has does not belong to the organization either; only where others are refused so is this one told apart.
    if (relation === "absent" && (isMadeUp(businessId) || this.parties.showsForeign))
      return { refusal: "widget.unknownBusiness", scope: { businessId } };
    if (relation !== "own") return { documented: FOREIGN_BUSINESS, section };
    const contact = this.#contactOf(call);
    const isTrue = (what: string) =>
      contact.field !== "whatsapp" || choices.isTrue(`${businessId} ${what} at #${index}`);
    const refusal = ruled(choices, call, index, [
      () => (isTrue("has a sender") ? undefined : { refusal: "widget.noSender", scope: { businessId } }),
      () => (isTrue("is online") ? undefined : { refusal: "widget.businessOffline", scope: { businessId } }),
      () => this.#textRefusal(choices, call, String(body.message), "@.message"),
    ]);
    if (refusal !== undefined) return refusal;
    if (!isAccepted(call)) return succeeds(mismatch("status", 200, call.message.status, section));
    return succeeds(this.#continued(choices, call, index, contact));
  }

  /** Whether the customer and thread of a conversation are those of an earlier one with the same contact. */
  #continued(choices: Choices, call: Exchange, index: number, contact: Contact): Mismatch | undefined {
    const id = textOf(shownIn(call).customerThreadId) ?? "";
    const match = choices.entry("widget.customerMatch");
    const known = this.#conversations.get(contact.caseless)?.customers;
    const same = match === "never" ? undefined : this.#conversations.get(contact[match]);
    const { customerId: customer, isMade, contacts } = this.#thread(id);
    const isOther = known?.has(customer) ? !same?.customers.has(customer) : same?.customers.size;
    if (customer !== undefined && isOther) return changed("customerId", "another one", customer);
    const isOld = isMade === true || contacts.has(contact.caseless);
    if (choices.entry("widget.reuse") === "never")
      return isOld ? changed("customerThreadId", "a new one", id) : undefined;
    const fitting = [undefined, textOf(sentIn(call).businessId)];
    const last = same?.threads.findLast((thread) => fitting.includes(this.#thread(thread).businessId));
    if (isOld || last === undefined) return undefined;
    const status =
      this.#statusAt(choices, last, call) ?? choices.pick(`status of ${last} at #${index}`, THREAD_STATUSES);
    return status === "resolved" ? undefined : changed("customerThreadId", last, id);
  }

  #contactOf(call: Exchange): Contact {
    const { user } = sentIn(call);
    const [[field, value] = ["", ""]] = Object.entries(isObject(user) ? user : {}).filter(([name]) =>
      isKeyOf(CONTACTS, name),
    );
    const name = `${this.parties.groupOf(tokenOf(call))} ${field}`;
    const [exact, caseless] = [`exact ${name} ${value}`, `caseless ${name} ${String(value).toLowerCase()}`];
    return { field, exact, caseless };
  }

  /** Takes over what a call shows or changes. */
  after(call: Exchange, trust: Trust): void {
    const { operation } = call;
    const [id, ...more] =
      operation === "sendMessageToBusiness" ? [textOf(shownIn(call).customerThreadId)] : threadsIn(call);
    if (id === undefined || more.length > 0) return;
    const [thread, end] = [this.#thread(id), endOf(call)];
    const isChange = operation !== "getCustomerThreadDetails" && operation !== "getWhatsappTemplates";
    const effect = effectOf(thread, call, trust, isChange);
    if (effect === "forget")
      Object.assign(thread, { status: undefined, moved: undefined, window: undefined, opened: undefined });
    if (effect !== "take") return;
    const { status, internal } = sentIn(call);
    if (operation === "getCustomerThreadDetails") this.#show(thread, call);
    else if (operation === "getWhatsappTemplates") {
      thread.templates = templatesIn(call);
      if (thread.templates.size > 0) {
        const ids = [...thread.templates.keys()].sort().join();
        this.#listed.set(this.parties.groupOf(tokenOf(call)), { thread: id, ids });
      }
    } else if (operation === "updateThreadStatus") {
      thread.status = { value: () => String(status), at: end, isWritten: true };
      thread.moved = undefined;
    } else if (operation === "sendMessageToBusiness") this.#begin(id, thread, call);
    else if (operation === "sendMessageToCustomerThread" && internal !== true)
      thread.moved = { to: "replied", at: end };
  }

  #show(thread: Thread, call: Exchange): void {
    const { status, isMessagingWindowOpen, customerChannel } = shownIn(call);
    const at = endOf(call);
    if (typeof customerChannel === "string") thread.channel = customerChannel;
    thread.status = THREAD_STATUSES.some((one) => one === status)
      ? { value: () => String(status), at }
      : undefined;
    thread.moved = undefined;
    thread.window =
      typeof isMessagingWindowOpen === "boolean" ? { isOpen: isMessagingWindowOpen, at } : undefined;
  }

  #begin(id: string, thread: Thread, call: Exchange): void {
    const [contact, token, at] = [this.#contactOf(call), tokenOf(call), endOf(call)];
    for (const name of [contact.exact, contact.caseless]) {
      const none = () => ({ threads: [], customers: new Set() });
      const { threads, customers } = getOrInsert(this.#conversations, name, none);
      threads.push(id);
      if (thread.customerId !== undefined) customers.add(thread.customerId);
    }
    thread.contacts.add(contact.caseless);
    const { status, isMade, window, makers } = thread;
    const isFirst = makers.size === 0 && [status, isMade, window].every((one) => one === undefined);
    thread.makers.add(token);
    if (isKeyOf(CONTACTS, contact.field)) thread.channel ??= CONTACTS[contact.field].channel;
    thread.businessId ??= textOf(sentIn(call).businessId);
    thread.opened = new Span(call.at, at);
    if (isFirst) {
      thread.isMade = true;
      const value = (choices: Choices) =>
        this.#isNew(choices, id) ? choices.entry("widget.threadStatus") : undefined;
      thread.status = { value, at };
    }
    thread.moved = { to: "waiting", at };
  }

  /** Takes over what a delivery shows to have happened, unless a call has caused it. */
  heard(delivery: Exchange): void {
    const { customerThreadId, fromCustomer, invisible, newBusinessId } = eventOf(delivery);
    const thread = this.#thread(textOf(customerThreadId) ?? "");
    if (delivery.kind === "transfer") thread.businessId = textOf(newBusinessId);
    if (this.parties.causes.has(delivery) || delivery.kind === "transfer") return;
    const when = this.parties.happened(delivery);
    if (fromCustomer === true && (thread.opened?.most ?? 0) < when.most) thread.opened = when;
    if (fromCustomer !== true && invisible === true) return;
    // It may have happened before a change that the recording shows first.
    if (Math.max(thread.busyUntil, (thread.moved?.at ?? 0) - 1) >= when.least)
      Object.assign(thread, { status: undefined, moved: undefined });
    else thread.moved = { to: fromCustomer === true ? "waiting" : "replied", at: when.most };
  }
}

const differs = (...field: Parameters<typeof changed>): Outcome => succeeds(changed(...field));

function templatesIn(call: Exchange): ReadonlyMap<string, string> {
  const { templates } = shownIn(call);
  const listed = Array.isArray(templates) ? templates.filter(isObject) : [];
  return new Map(listed.map(({ contentSid, text }) => [String(contentSid), String(text)]));
}

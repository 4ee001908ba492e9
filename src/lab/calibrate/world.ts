/** Reconstructs the world behind a recording: who is who, and its state before the first exchange. */

import { isObject } from "../../kernel/json.js";
import type { Run } from "../../sandbox/run.js";
import { ANSWERS } from "../../service/behaviour/answers.js";
import type { AnswerKey } from "../../service/behaviour/table.js";
import type { Rule } from "../../service/domain/transaction.js";
import type { FixtureDocument } from "../../service/world/fixture.js";
import { FixtureLoader } from "../../service/world/load.js";
import type { Customer, Thread } from "../../service/world/records.js";
import { THREAD_STATUSES } from "../../service/world/records.js";
import { eventIdOf, eventOf } from "./deliveries.js";
import type { Exchange, Trace } from "./trace.js";

/** Groups exchanges, in order. */
function grouped(trace: Trace, keyOf: (exchange: Exchange) => string | undefined): Groups {
  const groups = new Map<string | undefined, Exchange[]>();
  for (const exchange of trace) {
    const key = keyOf(exchange);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [exchange]);
    else group.push(exchange);
  }
  groups.delete(undefined);
  return groups;
}

/** The organization of records that the first key cannot see. */
const FOREIGN = "2";

type Fields = Readonly<Record<string, unknown>>;
type Groups = ReadonlyMap<string | undefined, Exchange[]>;
type Draft = Record<string, unknown> & { id: string };

/** The world of a recording, and what only later exchanges reveal about it. */
export interface Rebuilt {
  readonly document: FixtureDocument;
  /** The assumptions made, in sentences. */
  readonly notes: readonly string[];
  /** Adds what a call is the first to show to the world, before it is played. */
  reveal(exchange: Exchange, run: Run, ours: (id: string) => string): void;
  /** Adopts what a read shows, because it could not be explained. */
  resync(exchange: Exchange): void;
  /** The call that caused a delivery; undefined if somebody else did. */
  causeOf(delivery: Exchange): Exchange | undefined;
  /** A user who works for a business. */
  employeeFor(businessId: string): string;
  /** Entries that may each have decided a refusal, because the recording does not show which record exists. */
  doubtsOf(exchange: Exchange): readonly AnswerKey[];
  /** Whether the customer was new when the widget route was called for them. */
  isNewCustomer(customerId: string): boolean;
}

const isOk = ({ message: { status } }: Exchange): boolean => status < 400;
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
const digits = (id: string | undefined): id is string => id !== undefined && /^[1-9]\d{0,14}$/.test(id);
const responseOf = ({ message }: Exchange): Fields =>
  isObject(message.response.value) ? message.response.value : {};
const requestOf = ({ message }: Exchange): Fields =>
  isObject(message.request.value) ? message.request.value : {};

const tokenOf = ({ message }: Exchange): string => message.headers.token ?? "";
const isChange = ({ operation }: Exchange): boolean =>
  operation === "sendMessageToCustomerThread" || operation === "updateThreadStatus";
const isRead = ({ operation }: Exchange): boolean =>
  operation === "getCustomerThreadDetails" || operation === "getWhatsappTemplates";

const isProfileRead = ({ operation }: Exchange): boolean => operation === "getCustomerProfile";

/** An answer without what is specific to a thread or customer. */
const answerWithoutId = (call: Exchange): string =>
  `${call.message.status} ${call.message.response.text ?? ""}`.replaceAll(
    threadIn(call) ?? call.params.customerId ?? "\n",
    "…",
  );

const isForeignBusiness = ({ message: { status, response } }: Exchange): boolean =>
  status === 403 && response.text?.includes("does not belong") === true;

const isDefault = (key: AnswerKey, { message: { response } }: Exchange): boolean =>
  JSON.stringify(ANSWERS[key].default.body) === JSON.stringify(response.value);

/** Whether an id was made up by probes, so that no service has such a record. */
export const isMadeUp = (id: string): boolean => /^(?:messaging-sim-probe|99900000000000)/.test(id);

const WHATSAPP_REFUSALS = ["widget.noSender", "widget.businessOffline"] as const;

/**
 * Why a WhatsApp conversation was refused: the reason whose default the answer is; otherwise by elimination, if the same message
 * was accepted, or refused for another reason.
 */
function whatsappRefusal(call: Exchange, sameMessage: Trace): AnswerKey | undefined {
  const shownBy = (one: Exchange) => WHATSAPP_REFUSALS.find((key) => isDefault(key, one));
  const [other, ...more] = WHATSAPP_REFUSALS.filter((key) => sameMessage.some((one) => shownBy(one) === key));
  const isTold = other !== undefined && more.length === 0 && sameMessage.some(isOk);
  return shownBy(call) ?? (isTold ? WHATSAPP_REFUSALS.find((key) => key !== other) : undefined);
}

/** The thread that a call names. */
export function threadIn(exchange: Exchange): string | undefined {
  const [named, ...more] = new URLSearchParams(exchange.query).getAll("customerThreadId");
  return textOf(requestOf(exchange).customerThreadId) ?? (more.length > 0 ? undefined : textOf(named));
}

/** `base` is the initial fixture, if the world is known. */
export function rebuild(trace: Trace, base: FixtureDocument | undefined): Rebuilt {
  return new Rebuilding(trace, base).rebuilt();
}

class Rebuilding {
  readonly #notes: string[] = [];
  readonly #calls: Trace;
  readonly #deliveries: Trace;
  readonly #byKey: Groups;
  /** The answered calls for each thread, and for each customer. */
  readonly #reaching: Groups;
  readonly #showing: Groups;
  /** The calls of the widget route, by the thread that they return. */
  readonly #opening: Groups;
  readonly #causes = new Map<Exchange, Exchange>();
  readonly #collections: Record<string, Map<string, Draft>> = {};
  readonly #made = new Set<string>();
  readonly #newCustomers = new Set<string>();
  readonly #revealed = new Map<Exchange, { thread?: string; customer?: string }>();
  readonly #doubts = new Map<Exchange, readonly AnswerKey[]>();
  readonly #reached = new Map<string, Set<string>>();
  readonly #changed = new Set<string>();
  /** The threads that a key cannot access. */
  readonly #denied = new Map<string, Set<string>>();
  /** The keys of another organization. */
  readonly #foreign = new Set<string>();
  readonly #businessByName = new Map<string, string>();
  #organization = "1";

  constructor(
    trace: Trace,
    readonly base: FixtureDocument | undefined,
  ) {
    this.#calls = trace.filter(({ kind }) => kind === "call");
    this.#deliveries = trace.filter(({ kind }) => kind !== "call");
    const answered = this.#calls.filter(isOk);
    this.#byKey = grouped(this.#calls, tokenOf);
    this.#reaching = grouped(answered, threadIn);
    this.#showing = grouped(answered, ({ params }) => params.customerId);
    this.#opening = grouped(this.#calls, (call) =>
      call.operation === "sendMessageToBusiness" ? textOf(responseOf(call).customerThreadId) : undefined,
    );
    for (const [name, records] of Object.entries(base ?? {}))
      this.#collections[name] = new Map(records.map((record) => [record.id, { ...record } as Draft]));
  }

  rebuilt(): Rebuilt {
    this.#findCauses();
    if (this.base === undefined) {
      this.#organization =
        textOf(this.#deliveries.map((one) => eventOf(one).organizationId).find(Boolean)) ?? "1";
      this.#put("organizations", this.#organization, { name: "Organization" });
      this.#findReached();
      this.#findForeign();
      this.#putThreads();
      this.#putCustomers();
      this.#putTemplates();
      this.#putWebhooks();
      this.#putSenders();
      this.#putTokens();
      this.#putUsers();
      this.#putUnseenThreads();
      for (const business of this.#all("businesses")) this.#employee(business.id);
    } else {
      this.#putWebhooks();
      this.#findNewcomers();
    }
    this.#findReveals();
    const document = new FixtureLoader().loadTrusted(
      Object.fromEntries(
        Object.entries(this.#collections).map(([name, records]) => [name, [...records.values()]]),
      ) as never,
    );
    return {
      document,
      notes: this.#notes,
      reveal: (exchange, run, ours) => this.#reveal(exchange, run, ours),
      resync: (exchange) => this.#resync(exchange),
      causeOf: (delivery) => this.#causes.get(delivery),
      employeeFor: (businessId) => this.#employee(businessId),
      doubtsOf: (exchange) => this.#doubts.get(exchange) ?? [],
      isNewCustomer: (id) => this.#newCustomers.has(id),
    };
  }

  #all = (collection: string): Draft[] => [...(this.#collections[collection]?.values() ?? [])];
  #get = (collection: string, id: string): Draft | undefined => this.#collections[collection]?.get(id);

  /** Adds a record, or fields of it that were unknown. */
  #put(collection: string, id: string, fields: Fields = {}): Draft {
    this.#collections[collection] ??= new Map();
    const record: Draft = { ...fields, ...this.#get(collection, id), id };
    this.#collections[collection].set(id, record);
    return record;
  }

  #employee(businessId: string): string {
    const known = this.#all("users").find(({ businessIds }) =>
      (businessIds as string[]).includes(businessId),
    );
    if (known !== undefined) return known.id;
    return this.#put("users", `79${businessId}`.slice(0, 15), this.#user([businessId], `staff-${businessId}`))
      .id;
  }

  #user = (businessIds: readonly string[], name: string): Fields => ({
    organizationId: this.#organization,
    email: `${name}@calibrate.invalid`,
    displayName: name,
    businessIds,
    contactable: true,
  });

  /** Threads and customers that the fixture does not have were created during the recording. */
  #findNewcomers(): void {
    for (const delivery of this.#deliveries) {
      const { customerThreadId, customerId } = eventOf(delivery);
      if (this.#get("threads", String(customerThreadId)) === undefined)
        this.#made.add(`thread ${customerThreadId}`);
      if (this.#get("customers", String(customerId)) === undefined)
        this.#newCustomers.add(String(customerId));
    }
    for (const call of this.#calls.filter(isOk)) {
      const id = threadIn(call);
      if (id !== undefined && this.#get("threads", id) === undefined) this.#made.add(`thread ${id}`);
    }
  }

  /** Finds the call behind each message delivery: same thread, same text, the oldest unused one. */
  #findCauses(): void {
    const waiting = grouped(this.#calls, messageKeyOf);
    const byEvent = new Map<string, Exchange | undefined>();
    for (const delivery of this.#deliveries.filter(({ kind }) => kind !== "transfer")) {
      const id = eventIdOf(delivery);
      if (!byEvent.has(id)) {
        const { fromCustomer, customerThreadId, invisible, messageBody } = eventOf(delivery);
        const [own, other] = [messageBody, null].map((text) =>
          waiting.get(messageKey(fromCustomer, customerThreadId, invisible, text)),
        );
        const queue = (own?.[0]?.at ?? Infinity) <= (other?.[0]?.at ?? Infinity) ? own : other;
        const isEarlier = queue?.[0] !== undefined && queue[0].at <= delivery.at + 50;
        byEvent.set(id, isEarlier ? queue?.shift() : undefined);
      }
      const cause = byEvent.get(id);
      if (cause !== undefined) this.#causes.set(delivery, cause);
    }
  }

  #putThreads(): void {
    for (const call of this.#calls)
      if (call.operation === "sendMessageToBusiness" && isOk(call)) {
        const id = textOf(responseOf(call).customerThreadId);
        const [first] = this.#reaching.get(id) ?? [];
        if (id !== undefined && !(first !== undefined && first.at < call.at)) this.#made.add(`thread ${id}`);
      }
    for (const delivery of this.#deliveries) {
      const event = eventOf(delivery);
      const id = textOf(event.customerThreadId);
      const business = textOf(event.previousBusinessId) ?? textOf(event.businessId);
      for (const one of [business, textOf(event.newBusinessId)])
        if (digits(one))
          this.#put("businesses", one, { organizationId: this.#organization, name: "Business" });
      if (digits(textOf(event.newBusinessId)) && typeof event.newBusinessName === "string")
        (this.#get("businesses", String(event.newBusinessId)) as Draft).name = event.newBusinessName;
      if (!digits(id) || !digits(business) || this.#made.has(`thread ${id}`)) continue;
      const channel = textOf(event.channel) ?? textOf(event.customerChannel);
      const customerId = textOf(event.customerId);
      this.#put("threads", id, { businessId: business });
      if (channel !== undefined) this.#put("threads", id, { channel });
      if (customerId !== undefined) this.#put("threads", id, { customerId });
    }
    for (const id of this.#reached.keys())
      if (digits(id) && !this.#made.has(`thread ${id}`)) this.#put("threads", id);
    this.#judgeRefusals();
    for (const thread of this.#all("threads")) this.#completeThread(thread);
  }

  /** The keys with which each thread was accessed, and those that changed it. */
  #findReached(): void {
    for (const [id = "", calls] of this.#reaching) {
      this.#reached.set(id, new Set(calls.map(tokenOf)));
      for (const call of calls.filter(isChange)) this.#changed.add(`${tokenOf(call)} ${id}`);
    }
  }

  /** Keys that are refused a business which another key may use belong to another organization, with everything that they access. */
  #findForeign(): void {
    const widget = this.#calls.filter(({ operation }) => operation === "sendMessageToBusiness");
    const [first] = this.#calls.filter(isOk).map(tokenOf);
    const own = new Set<unknown>([
      ...this.#deliveries.map((one) => textOf(eventOf(one).businessId)),
      ...widget
        .filter((call) => isOk(call) && tokenOf(call) === first)
        .map((call) => requestOf(call).businessId),
    ]);
    for (const call of widget)
      if (isForeignBusiness(call) && own.has(requestOf(call).businessId)) this.#foreign.add(tokenOf(call));
    for (const call of this.#calls.filter((one) => isOk(one) && this.#foreign.has(tokenOf(one)))) {
      const [thread, customer] = [threadIn(call), call.params.customerId];
      if (digits(thread)) this.#makeForeign(thread, this.#foreign);
      if (customer !== undefined) this.#put("customers", customer, { organizationId: FOREIGN });
    }
  }

  /**
   * A thread is refused because it is unknown, or because this key cannot access it. If a key gets two different answers, the one
   * for threads that other keys access is the latter; otherwise both entries are possible.
   */
  #judgeRefusals(): void {
    const reached = this.#reached;
    const refused = this.#calls.filter(
      (call) => !isOk(call) && call.message.status !== 401 && (isRead(call) || isChange(call)),
    );
    for (const [token = "", calls] of grouped(refused, tokenOf)) {
      if (this.#isInvalid(token)) continue;
      const isKnown = (call: Exchange) =>
        this.#get("threads", threadIn(call) ?? "") !== undefined ||
        this.#made.has(`thread ${threadIn(call)}`);
      const isReached = (call: Exchange) => reached.get(threadIn(call) ?? "")?.has(token) === true;
      // An answer that reads of an accessible thread also get says nothing about access.
      const ofForm = new Set(calls.filter((call) => isRead(call) && isReached(call)).map(answerWithoutId));
      const reads = calls.filter(
        (call) => isRead(call) && !isReached(call) && !ofForm.has(answerWithoutId(call)),
      );
      const likeReads = new Set(reads.map(answerWithoutId));
      const changes = calls.filter(
        (call) =>
          isChange(call) &&
          !this.#changed.has(`${token} ${threadIn(call)}`) &&
          (!isKnown(call) ||
            likeReads.has(answerWithoutId(call)) ||
            isDefault("threads.notAccessible", call)),
      );
      const refusals = [...reads, ...changes].filter((call) => threadIn(call) !== undefined);
      const closed = refusals.filter(isKnown);
      const unknown = new Set(refusals.filter((call) => !isKnown(call)).map(answerWithoutId));
      const isTold = unknown.size > 0 && closed.some((call) => !unknown.has(answerWithoutId(call)));
      for (const call of refusals) {
        const id = threadIn(call) ?? "";
        if (!isTold && !isMadeUp(id)) this.#doubts.set(call, ["threads.notFound", "threads.notAccessible"]);
        if (!isKnown(call)) continue;
        this.#denied.set(token, (this.#denied.get(token) ?? new Set()).add(id));
        if (isTold && unknown.has(answerWithoutId(call))) this.#makeForeign(id, reached.get(id) ?? new Set());
      }
    }
  }

  /** Moves a thread, and the keys that access it, to a separate organization. */
  #makeForeign(id: string, tokens: ReadonlySet<string>): void {
    this.#put("organizations", FOREIGN, { name: "Other organization" });
    this.#put("businesses", "2", { organizationId: FOREIGN, name: "Foreign business" });
    this.#put("customers", `customer-of-${id}`, { organizationId: FOREIGN });
    Object.assign(this.#put("threads", id), { businessId: "2", customerId: `customer-of-${id}` });
    for (const token of tokens) this.#foreign.add(token);
    this.#note(`thread ${id} is of another organization, by the refusals of other keys`);
  }

  #completeThread({ id }: Draft): void {
    const read = this.#reaching.get(id)?.find(({ operation }) => operation === "getCustomerThreadDetails");
    const shown = read === undefined ? {} : responseOf(read);
    const channel = textOf(shown.customerChannel) ?? this.#get("threads", id)?.channel ?? this.#channelOf(id);
    if (this.#get("threads", id)?.businessId === undefined)
      this.#note(`thread ${id} is with a business that the recording does not name`);
    const businessId = (this.#get("threads", id)?.businessId as string | undefined) ?? this.#businessFor(id);
    this.#put("businesses", businessId, { organizationId: this.#organization, name: "Business" });
    const customerId = (this.#get("threads", id)?.customerId as string | undefined) ?? `customer-of-${id}`;
    this.#put("customers", customerId, { organizationId: this.#organization });
    this.#put("threads", id, {
      businessId,
      customerId,
      channel,
      status: "waiting",
      isMessagingWindowOpen: true,
    });
  }

  /** Threads that the same keys access belong to one business. */
  #businessFor(id: string): string {
    const name = `Business of ${[...(this.#reached.get(id) ?? [])].sort().join(" ")}`;
    const known = this.#businessByName.get(name);
    if (known !== undefined) return known;
    const businessId = String(3001 + (this.#collections.businesses?.size ?? 0));
    this.#businessByName.set(name, businessId);
    return this.#put("businesses", businessId, { organizationId: this.#organization, name }).id;
  }

  #channelOf(id: string): string {
    this.#note(`thread ${id} is on WHATSAPP, because the recording does not show its channel`);
    return "WHATSAPP";
  }

  #note(sentence: string): void {
    if (!this.#notes.includes(sentence)) this.#notes.push(sentence);
  }

  /** Customers who existed before the widget route was called for them, with their profile as first read. */
  #putCustomers(): void {
    const firstByWidget = new Set<string>();
    const seen = new Set<string>();
    for (const exchange of [...this.#calls, ...this.#deliveries].sort((a, b) => a.at - b.at)) {
      const id = exchange.kind === "call" ? exchange.params.customerId : textOf(eventOf(exchange).customerId);
      if (id === undefined || seen.has(id) || (exchange.kind === "call" && !isOk(exchange))) continue;
      seen.add(id);
      if (this.#causes.get(exchange)?.operation === "sendMessageToBusiness") firstByWidget.add(id);
    }
    for (const id of seen)
      if (!firstByWidget.has(id)) this.#put("customers", id, { organizationId: this.#organization });
    for (const delivery of this.#deliveries) {
      const { customerId, customerType } = eventOf(delivery);
      const known = textOf(customerId);
      if (
        known !== undefined &&
        this.#get("customers", known) &&
        delivery.kind === "message" &&
        typeof customerType === "string"
      )
        this.#put("customers", known, { type: customerType });
    }
    const closed = this.#calls.filter(
      (call) => isProfileRead(call) && !isOk(call) && seen.has(call.params.customerId ?? ""),
    );
    const closedAnswers = new Map(
      [...grouped(closed, tokenOf)].map(([key, calls]) => [key, new Set(calls.map(answerWithoutId))]),
    );
    for (const call of this.#calls) {
      const id = call.params.customerId;
      if (id === undefined || isOk(call) || seen.has(id) || isMadeUp(id)) continue;
      const isTold = closedAnswers.get(tokenOf(call))?.has(answerWithoutId(call)) === false;
      if (!isTold) this.#doubts.set(call, ["profile.notFound", "profile.notAccessible"]);
    }
    for (const id of firstByWidget) {
      this.#made.add(`customer ${id}`);
      const read = this.#showing.get(id)?.find(isProfileRead);
      const { displayName, firstName, lastName } =
        read === undefined ? ({ displayName: "?" } as Fields) : responseOf(read);
      if (!displayName && !firstName && !lastName) this.#newCustomers.add(id);
    }
  }

  #putTemplates(): void {
    const lists = this.#calls.filter((call) => call.operation === "getWhatsappTemplates" && isOk(call));
    const shown = lists.flatMap((call) => {
      const { templates } = responseOf(call);
      const thread = this.#get("threads", threadIn(call) ?? "");
      const listed = Array.isArray(templates) ? templates.filter(isObject) : [];
      return listed.length === 0 || thread === undefined
        ? []
        : [{ business: String(thread.businessId), listed }];
    });
    const businesses = new Set(shown.map(({ business }) => business));
    const places = new Map<string | undefined, Set<string>>();
    for (const { business, listed } of shown)
      for (const { contentSid } of listed) {
        const id = textOf(contentSid);
        places.set(id, (places.get(id) ?? new Set()).add(business));
      }
    for (const { listed } of shown)
      for (const template of listed) {
        const id = textOf(template.contentSid);
        if (id === undefined || this.#get("templates", id) !== undefined) continue;
        const where = [...(places.get(id) ?? [])];
        const scoped = where.length < businesses.size ? { businessIds: where } : {};
        this.#put("templates", id, {
          organizationId: this.#organization,
          title: textOf(template.title) ?? "template",
          text: textOf(template.text) ?? "",
          ...scoped,
        });
      }
  }

  /** The webhooks that existed before the first one was created: those that an earlier list shows. */
  #putWebhooks(): void {
    const made = new Set<string>();
    const legacyUrls = new Set<unknown>();
    for (const call of this.#calls) {
      if (call.operation === "updateHookUrl") legacyUrls.add(requestOf(call).url);
      if (!isOk(call)) continue;
      if (call.operation === "createWebhook")
        for (const { hookId } of webhooksIn(call)) made.add(String(hookId));
      const { query, variables } = requestOf(call);
      if (query === "save-hook-mutation" && isObject(variables)) {
        const id = String(variables.hookId);
        if (this.#get("webhooks", id) === undefined && variables.url !== undefined) made.add(id);
      }
      for (const webhook of webhooksIn(call)) {
        const id = textOf(webhook.hookId);
        if (id === undefined || made.has(id)) continue;
        if (legacyUrls.has(webhook.url)) continue;
        const known = this.base && this.#all("webhooks").find(({ hookId }) => hookId === id);
        // Its receiver may have moved since the fixture was written.
        if (known !== undefined) Object.assign(known, webhook, { id: known.id });
        if (this.base !== undefined) made.add(id);
        if (this.base !== undefined) continue;
        const { url, enabled, subscribedEvents, extraHeaders } = webhook;
        this.#put("webhooks", id, {
          hookId: id,
          organizationId: this.#organization,
          url: typeof url === "string" ? url : "https://unknown.invalid/",
          enabled: enabled !== false,
          subscribedEvents: Array.isArray(subscribedEvents) ? subscribedEvents : ["messages"],
          extraHeaders: Array.isArray(extraHeaders) ? extraHeaders : [],
        });
      }
    }
  }

  /** Whether the service does not know the key: it refuses every call the same way. */
  #isInvalid(token: string): boolean {
    const own = this.#byKey.get(token) ?? [];
    if (token === "" || isMadeUp(token)) return true;
    const answers = new Set(own.map(({ message }) => `${message.status} ${message.response.text ?? ""}`));
    const operations = new Set(own.map(({ operation }) => operation));
    const isAlike =
      own.every(({ message }) => message.status === 401) || (answers.size === 1 && operations.size > 1);
    return own.every((call) => !isOk(call)) && isAlike;
  }

  /** A user for each API key that the service accepted. */
  #putTokens(): void {
    const tokens = new Set(this.#calls.flatMap(({ message }) => message.headers.token ?? []));
    for (const [index, id] of [...tokens].entries()) {
      const own = this.#byKey.get(id) ?? [];
      if (this.#isInvalid(id)) {
        this.#note(`${id} is a key that the service does not know`);
        continue;
      }
      if (own.every((call) => !isOk(call)))
        for (const call of own) this.#doubts.set(call, [...(this.#doubts.get(call) ?? []), "auth.invalid"]);
      const organizationId = this.#foreign.has(id) ? FOREIGN : this.#organization;
      const denied = new Set([...(this.#denied.get(id) ?? [])].map((thread) => this.#businessOf(thread)));
      const businessIds = this.#all("businesses")
        .filter((business) => business.organizationId === organizationId && !denied.has(business.id))
        .map((business) => business.id);
      this.#put("users", String(8001 + index), {
        ...this.#user(businessIds, `user-${index + 1}`),
        organizationId,
      });
      const deletes = own.filter(({ operation }) => operation === "deleteUserByEmail");
      const may = deletes.some((call) => isOk(call) || isDocumentedDelete(responseOf(call)));
      this.#put("tokens", id, {
        userId: String(8001 + index),
        permissions: may || deletes.length === 0 ? ["user:delete"] : [],
      });
      this.#note(
        `${id} is the key of a user of ${businessIds.length} businesses${may ? " who may delete users" : ""}`,
      );
    }
  }

  /** A key may read a customer because of a thread that the recording does not show. */
  #putUnseenThreads(): void {
    const seen = new Set<string>();
    for (const call of [...this.#showing.values()].flat()) {
      const customerId = call.params.customerId as string;
      const userId = this.#get("tokens", tokenOf(call))?.userId as string | undefined;
      const [businessId] = (this.#get("users", userId ?? "")?.businessIds ?? []) as string[];
      if (businessId === undefined || seen.has(`${businessId} ${customerId}`)) continue;
      seen.add(`${businessId} ${customerId}`);
      if (this.#get("customers", customerId) !== undefined)
        this.#put("threads", `96${this.#collections.threads?.size ?? 0}`, {
          businessId,
          customerId,
          channel: "UNSEEN",
          status: "waiting",
          isMessagingWindowOpen: true,
        });
    }
  }

  /** The business of a thread, including threads that the widget route created. */
  #businessOf(id: string): unknown {
    const [made] = this.#opening.get(id) ?? [];
    return (
      this.#get("threads", id)?.businessId ??
      textOf(made === undefined ? undefined : requestOf(made).businessId)
    );
  }

  #putUsers(): void {
    const byEmail = new Map<string, Exchange[]>();
    for (const call of this.#calls.filter(({ operation }) => operation === "deleteUserByEmail")) {
      const email = textOf(requestOf(call).email)?.toLowerCase();
      if (email !== undefined) byEmail.set(email, [...(byEmail.get(email) ?? []), call]);
    }
    for (const [index, calls] of [...byEmail.values()].entries()) {
      const deleted = calls.find(isOk);
      const id = String(8501 + index);
      const business = (name: string, fields: Fields) =>
        this.#put("businesses", `${id}${name}`, {
          organizationId: this.#organization,
          name: "Business",
          ...fields,
        }).id;
      if (deleted !== undefined) {
        const email = textOf(responseOf(deleted).email) ?? textOf(requestOf(deleted).email);
        this.#put("users", textOf(responseOf(deleted).deletedUserId) ?? id, {
          ...this.#user([], "deleted"),
          email,
        });
        continue;
      }
      const errors = calls.map((call) => String(responseOf(call).error ?? ""));
      const email = textOf(requestOf(calls[0] as Exchange).email);
      if (errors.some((error) => error.includes("last customer representative")))
        this.#put("users", id, { ...this.#user([business("1", {})], "last"), email });
      const pool = errors.map((error) => /escalation pool for business (\S+)/.exec(error)?.[1]).find(digits);
      if (pool !== undefined) {
        this.#put("users", id, { ...this.#user([], "pool"), email, contactable: false });
        const known = this.#put("businesses", pool, { organizationId: this.#organization, name: "Business" });
        known.escalationPool = [id];
      }
    }
  }

  /** Businesses that the widget route names; one has a WhatsApp sender if a WhatsApp conversation started there. */
  #putSenders(): void {
    const calls = this.#calls.filter(({ operation }) => operation === "sendMessageToBusiness");
    const isShown = calls.some(isForeignBusiness);
    const reached = new Set(calls.filter(isOk).map((call) => requestOf(call).businessId));
    const byMessage = grouped(calls, (call) => JSON.stringify(requestOf(call).message));
    for (const call of calls) {
      const { businessId, user } = requestOf(call);
      const id = textOf(businessId);
      if (!digits(id)) continue;
      const isRefused =
        !reached.has(businessId) && ![400, 401].includes(call.message.status) && !this.#get("businesses", id);
      if (isMadeUp(id)) continue;
      if (isForeignBusiness(call) || (isRefused && !isShown)) {
        this.#put("organizations", FOREIGN, { name: "Other organization" });
        this.#put("businesses", id, { organizationId: FOREIGN, name: "Foreign business" });
        continue;
      }
      // A business that is refused differently from a foreign one is unknown.
      if (isRefused) continue;
      const business = this.#put("businesses", id, {
        organizationId: this.#organization,
        name: "Business",
        whatsappSender: null,
      });
      if (!isObject(user) || user.whatsapp === undefined || [401, 403, 429].includes(call.message.status))
        continue;
      const key = isOk(call)
        ? undefined
        : whatsappRefusal(call, byMessage.get(JSON.stringify(requestOf(call).message)) ?? []);
      if (isOk(call) || key === "widget.businessOffline")
        business.whatsappSender = { active: true, phoneNumber: "+10000000000" };
      if (key === "widget.businessOffline") business.online = false;
      if (!isOk(call) && key === undefined) this.#doubts.set(call, WHATSAPP_REFUSALS);
    }
  }

  /** The first read of each thread and profile shows its initial state. */
  #findReveals(): void {
    const seen = new Set<string>();
    for (const call of this.#calls.filter(isOk)) {
      const thread = call.operation === "getCustomerThreadDetails" ? threadIn(call) : undefined;
      const written = call.operation === "updateThreadStatus" ? threadIn(call) : undefined;
      if (written !== undefined) seen.add(`status ${written}`);
      if (thread !== undefined && !seen.has(`thread ${thread}`)) {
        seen.add(`thread ${thread}`);
        if (!this.#made.has(`thread ${thread}`) && this.base === undefined)
          this.#revealed.set(call, { thread: seen.has(`status ${thread}`) ? `${thread} window` : thread });
      }
      const customer = call.operation === "getCustomerProfile" ? call.params.customerId : undefined;
      if (customer !== undefined && !seen.has(`customer ${customer}`)) {
        seen.add(`customer ${customer}`);
        if (!this.#newCustomers.has(customer)) this.#revealed.set(call, { customer });
      }
    }
  }

  #resync(call: Exchange): void {
    const thread = threadIn(call);
    if (call.operation === "getCustomerThreadDetails" && thread !== undefined)
      this.#revealed.set(call, { thread });
    const { customerId: customer } = call.params;
    if (call.operation === "getCustomerProfile" && customer !== undefined)
      this.#revealed.set(call, { customer });
  }

  #reveal(exchange: Exchange, run: Run, ours: (id: string) => string): void {
    const { thread: named, customer: customerId } = this.#revealed.get(exchange) ?? {};
    const shown = responseOf(exchange);
    if (named !== undefined) {
      const [id = "", windowOnly] = named.split(" ");
      const thread = run.world.get("threads", ours(id));
      if (thread === undefined) return;
      const status = THREAD_STATUSES.find((one) => one === shown.status);
      const isOpen = shown.isMessagingWindowOpen;
      const known = thread.windowClosesAt != null;
      put(run, "threads", {
        ...thread,
        ...(status === undefined || windowOnly !== undefined ? {} : { status }),
        ...(typeof isOpen !== "boolean" || known ? {} : { isMessagingWindowOpen: isOpen }),
      });
    }
    const customer = customerId === undefined ? undefined : run.world.get("customers", ours(customerId));
    if (customer !== undefined)
      put(run, "customers", profileShown(customer, shown, this.#writtenBefore(exchange)));
  }

  /** The fields that an update set before the first read. */
  #writtenBefore(exchange: Exchange): ReadonlySet<string> {
    const updates = this.#showing
      .get(exchange.params.customerId)
      ?.filter((call) => call.operation === "updateCustomerProfile" && call.at < exchange.at);
    return new Set(
      updates?.flatMap((call) =>
        Object.entries(requestOf(call)).flatMap(([name, value]) => (value === "" ? [] : [name])),
      ),
    );
  }
}

function put<C extends "threads" | "customers">(
  run: Run,
  collection: C,
  record: C extends "threads" ? Thread : Customer,
): void {
  const rule: Rule<null, void> = (tx) => void tx.put(collection as never, record as never);
  run.transact({ id: null } as never, rule, null);
}

const TEXTS = [
  "type",
  "pictureHref",
  "displayName",
  "emailAddress",
  "phoneNumber",
  "firstName",
  "lastName",
  "company",
  "channel",
] as const;

/** A customer's record, from a profile; empty fields are unknown. */
function profileShown(customer: Customer, shown: Fields, written: ReadonlySet<string>): Customer {
  const texts = TEXTS.flatMap((name) => (written.has(name) ? [] : [[name, textOf(shown[name]) ?? null]]));
  const { editable, customerData, lastSurveys } = shown;
  const surveys =
    isObject(lastSurveys) && Object.keys(lastSurveys).length > 0
      ? Object.fromEntries(
          Object.entries(lastSurveys).map(([name, survey]) => [name, inMilliseconds(survey)]),
        )
      : null;
  return {
    ...customer,
    ...Object.fromEntries(texts),
    editable: typeof editable === "boolean" ? editable : null,
    customerData: Array.isArray(customerData) ? customerData : null,
    lastSurveys: surveys,
  } as Customer;
}

const SECONDS_BELOW = 100_000_000_000;
const inMilliseconds = (survey: unknown): unknown =>
  isObject(survey) && typeof survey.createdAt === "number" && survey.createdAt < SECONDS_BELOW
    ? { ...survey, createdAt: survey.createdAt * 1000 }
    : survey;

const isDocumentedDelete = ({ error, body }: Fields): boolean =>
  Array.isArray(body) ||
  (typeof error === "string" && /^User (?:not found in organization|cannot be deleted)/.test(error));

/** A key shared by a call and the message that it causes; for a template, without the text. */
function messageKeyOf(call: Exchange): string | undefined {
  const { text = null, contentSid, internal, message } = requestOf(call);
  if (!isOk(call)) return undefined;
  if (call.operation === "sendMessageToBusiness")
    return messageKey(true, responseOf(call).customerThreadId, false, message);
  if (call.operation !== "sendMessageToCustomerThread") return undefined;
  return messageKey(false, threadIn(call), internal === true, contentSid === undefined ? text : null);
}

const messageKey = (fromCustomer: unknown, thread: unknown, invisible: unknown, text: unknown): string =>
  JSON.stringify([fromCustomer, textOf(thread), fromCustomer === true ? false : invisible, text]);

/** The webhooks in an answer, in any form, of either API. */
function webhooksIn(call: Exchange): Fields[] {
  const value = call.message.response.value;
  if (
    !["createWebhook", "listWebhooks", "getWebhook", "updateWebhook", "graphql"].includes(
      call.operation ?? "",
    )
  )
    return [];
  const data = isObject(value) && isObject(value.data) ? (value.data.hook ?? value.data.saveHook) : undefined;
  const inner = data ?? (isObject(value) ? (value.webhooks ?? value.webhook ?? value) : value);
  return (Array.isArray(inner) ? inner : [inner])
    .filter(isObject)
    .filter(({ hookId }) => typeof hookId === "string");
}

/** Plays a trace in its own sandbox, with the clock at the recorded times, and maps the recorded ids to the sandbox's. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { answerTo } from "../../api/app.js";
import { Exchange as ApiExchange } from "../../api/exchange.js";
import type { ApiAnswer } from "../../api/operation.js";
import { OPERATIONS } from "../../api/operations/index.js";
import { RequestValidator } from "../../api/validation/validator.js";
import { routeTable } from "../../kernel/http/endpoint.js";
import { isObject } from "../../kernel/json.js";
import { fromKeys, keysOf } from "../../kernel/objects.js";
import { UnusableDocument } from "../../kernel/problems.js";
import type { Cause } from "../../sandbox/journal.js";
import { JournalEntry } from "../../sandbox/journal.js";
import { MemoryBudget } from "../../sandbox/memory.js";
import { SandboxRegistry } from "../../sandbox/registry.js";
import { ANSWERS } from "../../service/behaviour/answers.js";
import { Behaviour, noReads } from "../../service/behaviour/behaviour.js";
import type { Scope } from "../../service/behaviour/entry.js";
import type { AnswerKey, BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { BEHAVIOUR_KEYS } from "../../service/behaviour/table.js";
import { payloadOf } from "../../service/domain/event-payloads.js";
import type { DomainEvent } from "../../service/domain/events.js";
import { customerWrites, employeeWrites } from "../../service/domain/messages.js";
import { transferThread } from "../../service/domain/threads.js";
import type { FixtureDocument } from "../../service/world/fixture.js";
import type { Attachment, Message as MessageRecord } from "../../service/world/records.js";
import type { WorldState } from "../../service/world/state.js";
import { stateOf } from "../../service/world/state.js";
import { eventIdOf, eventOf } from "./deliveries.js";
import type { Exchange, Trace } from "./trace.js";
import type { Rebuilt } from "./world.js";

/** The simulator's counterpart of a recorded exchange. */
export interface Played {
  readonly exchange: Exchange;
  /** Undefined for a delivery that the simulator does not send. */
  readonly status: number | undefined;
  /** The body or payload. With `answer`, its texts are not compared. */
  readonly body: unknown;
  readonly outcome: string | undefined;
  /** The entry whose value is the whole answer. */
  readonly answer: AnswerKey | undefined;
  /** The values of that answer's placeholders, with the ids of the recording. */
  readonly scope: Scope;
  /** Recorded ids that now refer to another record than before. */
  readonly misbound: readonly string[];
  /** The entries consulted for it. */
  readonly consulted: readonly BehaviourKey[];
}

/** The state of a play before an exchange: a play that differs only from there on can start there. */
interface Checkpoint {
  readonly index: number;
  readonly state: WorldState;
  readonly rates: readonly (readonly [string, { readonly start: number; readonly calls: number }])[];
  readonly kept: Kept;
  readonly played: readonly Played[];
}

export interface Play {
  readonly played: readonly Played[];
  readonly checkpoints: readonly Checkpoint[];
  /** Calls whose message was not delivered although later ones were. */
  readonly undelivered: readonly { readonly exchange: Exchange; readonly invisible: boolean }[];
}

/** The placeholder values of refusals and successes. An answer made of these reveals the scope. */
const SCOPE_NAMES = [
  "request",
  "operation",
  "message",
  "thread",
  "customer",
  "webhook",
  "customerThreadId",
  "customerId",
  "hookId",
  "contentSid",
  "businessId",
  "userId",
  "permission",
  "from",
  "to",
  "limit",
  "length",
  "property",
  "retryAfter",
  "method",
  "path",
  "allowed",
  "encoding",
] as const;
const SCOPE_BODY = Object.fromEntries(SCOPE_NAMES.map((name) => [name, `\${${name}}`]));
const SCOPE_ANSWERS = fromKeys(keysOf(ANSWERS), (key) => ({
  status: ANSWERS[key].default.status,
  body: SCOPE_BODY,
}));

const ROUTES = routeTable(OPERATIONS);
const MEMORY = 1024 * 1024 * 1024;
const IDLE = {
  accept: () => {},
  releaseHeld: () => {},
  forgetWebhook: () => {},
  release: () => false,
  idle: true,
  settled: async () => {},
};
const isAnswer = (key: string | undefined): key is AnswerKey =>
  key !== undefined && Object.hasOwn(ANSWERS, key);

/** Plays one trace any number of times, with different values. */
export class Player {
  readonly #registry: SandboxRegistry;
  readonly #validator = new RequestValidator();

  constructor(
    readonly trace: Trace,
    readonly world: Rebuilt,
    document: FixtureDocument,
  ) {
    const start = {
      state: stateOf(document),
      behaviour: {},
      seed: 1,
      clock: trace[0]?.at ?? 0,
      faults: [],
      journalLimit: 1,
    };
    this.#registry = new SandboxRegistry(start, new MemoryBudget(MEMORY), () => IDLE, rethrow);
  }

  /** Plays the trace with these values, until `isOver` returns true for an exchange. */
  async play(
    values: Partial<BehaviourValues>,
    isOver: (played: Played, index: number) => boolean,
    from?: Checkpoint,
  ): Promise<Play> {
    const sandbox = this.#registry.default;
    sandbox.reset({ behaviour: { ...SCOPE_ANSWERS, ...values } });
    const { world, rates } = sandbox.run;
    if (from !== undefined) world.restore(from.state);
    for (const [token, window] of from?.rates ?? []) rates.windows.set(token, { ...window });
    return new OnePlay(this.#registry, this.#validator, this.world, from).run(this.trace, isOver);
  }

  close(): void {
    this.#registry.close(this.#registry.default);
  }
}

const rethrow = (error: unknown) => {
  throw error;
};

/** The mapping of ids of one kind. */
class Ids {
  readonly #ours: Map<string, string>;
  readonly theirs: Map<string, string>;

  constructor(copied?: Ids) {
    this.#ours = new Map(copied === undefined ? [] : copied.#ours);
    this.theirs = new Map(copied === undefined ? [] : copied.theirs);
  }

  /** Whether both refer to the same record. */
  bind(theirs: unknown, ours: unknown): boolean {
    if (theirs === undefined || theirs === null || ours === undefined || ours === null) return true;
    const known = this.#ours.get(String(theirs));
    if (known !== undefined || this.theirs.has(String(ours))) return known === String(ours);
    this.#ours.set(String(theirs), String(ours));
    this.theirs.set(String(ours), String(theirs));
    return true;
  }

  /** Our id for a recorded one, of the same type. */
  ours(id: unknown): unknown {
    const known = typeof id === "string" || typeof id === "number" ? this.#ours.get(String(id)) : undefined;
    return known === undefined ? id : typeof id === "number" ? Number(known) : known;
  }
}

/** The maximum number of checkpoints in a play, and of exchanges in all of them. */
const CHECKPOINTS = { count: 60, exchanges: 300_000 };

/** The state of a play besides the sandbox. */
class Kept {
  readonly ids: Ids;
  readonly messages: Ids;
  /** By the exchange that caused them, or the event's recorded id. */
  readonly events: Map<unknown, DomainEvent>;
  readonly delivered: Set<unknown>;

  constructor(copied?: Kept) {
    this.ids = new Ids(copied?.ids);
    this.messages = new Ids(copied?.messages);
    this.events = new Map(copied?.events);
    this.delivered = new Set(copied?.delivered);
  }
}

/** Answers are kept until they are judged; that of a call which lists all webhooks grows with their number. */
const MAX_LISTED = 1_000_000;
const TOO_MANY_LISTED = {
  path: "recording",
  message: "its calls list webhooks or templates more than 1,000,000 times: split it",
};

class OnePlay {
  #listed = 0;
  readonly #kept: Kept;
  readonly #played: Played[];
  readonly #checkpoints: Checkpoint[] = [];
  #misbound: string[] = [];
  /** The entries that deliveries consult. */
  readonly #reads = noReads();
  readonly #counted: BehaviourValues;
  #changed: MessageRecord[] = [];

  constructor(
    readonly registry: SandboxRegistry,
    readonly validator: RequestValidator,
    readonly world: Rebuilt,
    from: Checkpoint | undefined,
  ) {
    this.#kept = new Kept(from?.kept);
    this.#played = [...(from?.played ?? [])];
    this.#counted = new Behaviour(this.#run.behaviour.values, this.#reads).counted;
    for (const collection of ["threads", "customers"] as const)
      for (const { id } of registry.default.run.world.all(collection)) this.#kept.ids.bind(id, id);
  }

  #bind(name: string, theirs: unknown, ours: unknown): void {
    if (!this.#kept.ids.bind(theirs, ours)) this.#misbound.push(name);
  }

  get #run() {
    return this.registry.default.run;
  }

  async run(trace: Trace, isOver: (played: Played, index: number) => boolean): Promise<Play> {
    const stop = this.registry.default.observe({
      state: (changes) => {
        for (const { collection, before, after } of changes)
          if (collection === "messages" && before === null && after !== null)
            this.#changed.push(after as MessageRecord);
      },
    });
    try {
      const step = Math.ceil(
        Math.max(trace.length / CHECKPOINTS.count, trace.length ** 2 / CHECKPOINTS.exchanges),
      );
      for (let index = this.#played.length; index < trace.length; index += 1) {
        const exchange = trace[index] as Exchange;
        if (index % step === 0) this.#checkpoints.push(this.#checkpoint(index));
        const now = Math.max(this.#run.clock.now(), exchange.at);
        this.#run.clock.set({ now });
        this.#changed = [];
        this.#misbound = [];
        const played = exchange.kind === "call" ? await this.#call(exchange) : this.#delivery(exchange);
        this.#played.push(played);
        if (isOver(played, index)) return { played: this.#played, checkpoints: [], undelivered: [] };
      }
    } finally {
      stop();
    }
    // A later delivery may be the first to show an id.
    const played = this.#played.map((one) => ({
      ...one,
      scope: { ...(this.#inTheirs(one.scope) as Scope), request: one.scope.request },
    }));
    return { played, checkpoints: this.#checkpoints, undelivered: this.#undelivered(trace) };
  }

  #checkpoint(index: number): Checkpoint {
    const rates = [...this.#run.rates.windows.entries()].map(
      ([token, window]) => [token, { ...window }] as const,
    );
    const state = this.#run.world.snapshot();
    return { index, state, rates, kept: new Kept(this.#kept), played: [...this.#played] };
  }

  async #call(exchange: Exchange): Promise<Played> {
    const { message, path, query, params } = exchange;
    this.world.reveal(exchange, this.#run, (id) => String(this.#kept.ids.ours(id)));
    const body = this.#translated(message.request.value);
    const before = this.#counts();
    const rawQuery = query.replace(
      /(customerThreadId=)([^&]*)/g,
      (_, name, id) => name + String(this.#kept.ids.ours(id)),
    );
    const headers = Object.entries(message.headers).flat();
    const owner = this.registry.ownerOf(message.headers.token);
    const entry = new JournalEntry(
      "r1",
      exchange.at,
      "client",
      message.method,
      path,
      message.headers.token ?? null,
      rawQuery,
      headers,
    );
    const found = ROUTES.find(message.method, path);
    const hit =
      found !== undefined && "route" in found ? { ...found, params: this.#translatedIds(params) } : found;
    entry.operation = exchange.operation ?? null;
    const request = {
      method: message.method,
      url: path,
      headers: message.headers,
    } as unknown as IncomingMessage;
    const call = new ApiExchange(
      request,
      {} as ServerResponse,
      entry,
      owner,
      message.headers.token,
      hit,
      {} as ApiExchange["counters"],
    );
    call.body = this.#bodyOf(message, body);
    entry.receive(typeof call.body === "object" ? call.body : undefined);
    const answer = await answerTo(call, this.validator);
    this.#listed += listedIn(answer.body);
    if (this.#listed > MAX_LISTED) throw new UnusableDocument([TOO_MANY_LISTED]);
    this.#bindAnswer(exchange, answer);
    for (const record of this.#changed) {
      this.#kept.events.set(exchange, this.#messageEvent(record));
      void this.#isHidden(record);
    }
    const consulted = this.#consultedSince(before);
    const key = isAnswer(answer.behaviour) ? answer.behaviour : undefined;
    const scope = key !== undefined && isObject(answer.body) ? answer.body : {};
    return {
      exchange,
      status: answer.status,
      body: answer.body,
      outcome: answer.outcome,
      answer: key,
      scope: { ...scope, request: message.request.value ?? null },
      misbound: this.#misbound,
      consulted,
    };
  }

  #bodyOf({ request }: Exchange["message"], value: unknown): ApiExchange["body"] {
    if (request.bytes === 0) return "none";
    if (request.bytes > this.#counted["limits.bodyBytes"]) return "too large";
    const { text = "", problem } = request;
    return problem === undefined ? { text: JSON.stringify(value), value } : { text, problem };
  }

  /** Maps the recorded id of a created record to ours. */
  #bindAnswer({ operation, message }: Exchange, { status, body, outcome }: ApiAnswer): void {
    const seen = Array.isArray(message.response.value)
      ? { webhooks: message.response.value }
      : message.response.value;
    if (Array.isArray(body)) body = { webhooks: body };
    if (!isObject(seen) || !isObject(body) || status >= 400 || message.status >= 400 || outcome !== "success")
      return;
    if (operation === "sendMessageToBusiness")
      this.#bind("customerThreadId", seen.customerThreadId, body.customerThreadId);
    if (operation === "createWebhook") {
      const [theirs, ours] = [seen, body].map((record) =>
        isObject(record.webhook) ? record.webhook : record,
      );
      this.#bind("hookId", theirs?.hookId, ours?.hookId);
    }
    // Nothing else shows the id of a legacy webhook.
    for (const theirs of webhooksOf(seen))
      for (const ours of webhooksOf(body))
        if (theirs.url === ours.url && this.#kept.ids.ours(theirs.hookId) === theirs.hookId)
          this.#kept.ids.bind(theirs.hookId, ours.hookId);
  }

  #delivery(exchange: Exchange): Played {
    const before = this.#counts();
    const event = this.#eventOf(exchange);
    const legacy = exchange.kind === "legacy";
    const hidden = event?.eventType === "message" && this.#isHidden(event.message);
    const body = event === undefined || hidden ? undefined : payloadOf(event, this.#counted, legacy);
    if (event?.eventType === "transfer") void this.#counted["transfers.participation"];
    const seen = eventOf(exchange);
    if (event !== undefined) {
      this.#bind("customerThreadId", seen.customerThreadId, event.thread.id);
      if (event.eventType === "message") {
        this.#bind("customerId", seen.customerId, event.thread.customerId);
        // Threads and messages have separate numeric ids.
        this.#kept.messages.bind(seen.messageId, event.message.id);
        this.#kept.messages.bind(seen.messageTimestamp, event.message.timestamp);
      }
    }
    const consulted = this.#consultedSince(before);
    return {
      exchange,
      status: undefined,
      body,
      outcome: undefined,
      answer: undefined,
      scope: {},
      misbound: this.#misbound,
      consulted,
    };
  }

  /** Whether a message has no deliveries. */
  #isHidden({ invisible }: MessageRecord): boolean {
    return invisible && this.#counted["events.internalMessages"] === "omit";
  }

  #counts = (): number[] => this.#reads.map((count, index) => count + (this.#run.coverage.reads[index] ?? 0));

  #consultedSince(before: readonly number[]): BehaviourKey[] {
    const after = this.#counts();
    return BEHAVIOUR_KEYS.filter((_, index) => (after[index] ?? 0) > (before[index] ?? 0));
  }

  /** The event of a delivery: one that a call has caused, or somebody else's action, which is performed now. */
  #eventOf(exchange: Exchange): DomainEvent | undefined {
    const cause = this.world.causeOf(exchange) ?? eventIdOf(exchange);
    this.#kept.delivered.add(cause);
    const known = this.#kept.events.get(cause);
    if (known !== undefined || this.world.causeOf(exchange) !== undefined) return known;
    const event = this.#happened(exchange);
    if (event !== undefined) this.#kept.events.set(cause, event);
    return event;
  }

  #happened(exchange: Exchange): DomainEvent | undefined {
    const seen = eventOf(exchange);
    const threadId = String(this.#kept.ids.ours(String(seen.customerThreadId)));
    const by: Cause = { id: null };
    try {
      if (exchange.kind === "transfer") {
        const before = this.#run.world.get("threads", threadId);
        const employee =
          seen.employeeUserId === 0 ? undefined : this.world.employeeFor(String(seen.newBusinessId));
        const thread = this.#run.transact(by, transferThread, {
          threadId,
          businessId: String(seen.newBusinessId),
          employeeUserId: employee,
        });
        const business = this.#run.world.get("businesses", thread.businessId);
        const bySerial = this.#run.behaviour.values["transfers.participation"] === "counter";
        const zero = employee === undefined && this.#run.behaviour.values["transfers.employee"] === "zero";
        return {
          eventType: "transfer",
          at: this.#run.clock.now(),
          organizationId: business?.organizationId ?? "0",
          thread,
          previousBusinessId: before?.businessId ?? "0",
          newBusinessId: thread.businessId,
          newBusinessName: business?.name ?? "",
          employeeUserId: zero ? "0" : (employee ?? "1"),
          participationId: bySerial ? 0 : Number(thread.businessId),
        };
      }
      const text = String(seen.messageBody ?? "");
      const attachment = attachmentIn(seen);
      const content = { threadId, text, ...(attachment === undefined ? {} : { attachment }) };
      if (seen.fromCustomer === true) this.#run.transact(by, customerWrites, content);
      else {
        const thread = this.#run.world.get("threads", threadId);
        const userId = this.world.employeeFor(thread?.businessId ?? "");
        this.#run.transact(by, employeeWrites, { ...content, userId, internal: seen.invisible === true });
      }
    } catch {
      return undefined;
    }
    const record = this.#changed.at(-1);
    return record && this.#messageEvent(record);
  }

  #messageEvent(message: MessageRecord): DomainEvent {
    const { world, clock } = this.#run;
    const thread = world.get("threads", message.threadId);
    if (thread === undefined) throw new Error(`there is no thread ${message.threadId}`);
    const organizationId = world.get("businesses", thread.businessId)?.organizationId ?? "0";
    return {
      eventType: "message",
      at: clock.now(),
      organizationId,
      thread,
      customer: world.get("customers", thread.customerId),
      message,
    };
  }

  /** A request body with recorded ids replaced by ours. */
  #translated(body: unknown): unknown {
    if (!isObject(body)) return body;
    const { variables } = body;
    const hookIds = isObject(variables) ? variables.hookId : undefined;
    const hookId = Array.isArray(hookIds)
      ? hookIds.map((id) => this.#kept.ids.ours(id))
      : this.#kept.ids.ours(hookIds);
    return {
      ...this.#translatedIds(body),
      ...(hookIds === undefined ? {} : { variables: { ...(variables as object), hookId } }),
    };
  }

  #translatedIds<T extends Readonly<Record<string, unknown>>>(fields: T): T {
    const translated = Object.entries(fields).map(([name, value]) => [
      name,
      /^(?:customerThreadId|customerId|webHookId)$/.test(name) ? this.#kept.ids.ours(value) : value,
    ]);
    return Object.fromEntries(translated) as T;
  }

  /** A value with our ids replaced by recorded ones. */
  #inTheirs(value: unknown, name = "", inside = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inTheirs(item, name));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, part]) => [key, this.#inTheirs(part, key, name)]),
      );
    const ids =
      inside === "message" && (name === "id" || name === "timestamp") ? this.#kept.messages : this.#kept.ids;
    const theirs = /^id$|Id$|^timestamp$/.test(name) ? ids.theirs.get(String(value)) : undefined;
    return theirs === undefined ? value : typeof value === "number" ? Number(theirs) : theirs;
  }

  #undelivered(trace: Trace): Play["undelivered"] {
    const last = trace.findLast(({ kind }) => kind === "message" || kind === "legacy")?.at ?? 0;
    return [...this.#kept.events].flatMap(([cause, event]) => {
      if (
        event.eventType !== "message" ||
        this.#kept.delivered.has(cause) ||
        typeof cause !== "object" ||
        event.at >= last ||
        this.#isHidden(event.message)
      )
        return [];
      return [{ exchange: cause as Exchange, invisible: event.message.invisible }];
    });
  }
}

const listedIn = (body: unknown): number =>
  Array.isArray(body)
    ? body.length
    : isObject(body)
      ? Object.values(body).reduce((sum: number, part) => sum + listedIn(part), 0)
      : 0;

const webhooksOf = ({ webhooks, data }: Readonly<Record<string, unknown>>): Record<string, unknown>[] => {
  const list = webhooks ?? (isObject(data) ? data.hook : undefined);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

function attachmentIn(seen: Readonly<Record<string, unknown>>): Attachment | undefined {
  const {
    messageAttachmentUUID: uuid,
    messageAttachmentContentType: contentType,
    messageAttachmentName: name,
  } = seen;
  if (typeof uuid !== "string") return undefined;
  const contentLength = Number(seen.messageAttachmentContentLength ?? 0);
  return { uuid, contentType: String(contentType ?? ""), name: String(name ?? ""), contentLength };
}

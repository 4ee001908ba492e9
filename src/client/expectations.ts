/** What a test can wait for and verify in one sandbox. */

import type { AwaitedReply } from "../control/replies.js";
import { milliseconds } from "../kernel/durations.js";
import { inSentence } from "../kernel/printable.js";
import type { DeepReadonly } from "../kernel/schema.js";
import type { LogName, Logs, TakeOptions, Waitable } from "./consumed-entries.js";
import { ConsumedEntries, waitForEntries } from "./consumed-entries.js";
import { ExpectationError } from "./errors.js";
import { matchLines, titleOf, valueText } from "./misses.js";
import type { RouteLine, RouteMethod } from "./routes.js";
import type { Transport } from "./transport.js";
import { flagsOf, isRegExp } from "./transport.js";
import type {
  DeliveryFound,
  DeliveryMatch,
  Duration,
  EventType,
  NearMiss,
  RequestMatch,
  RequestRecord,
  ScenarioReport,
} from "./types.js";

/** An event type, or a match over deliveries. */
export type DeliveryAsked = EventType | DeliveryMatch;
type TypeOf<Asked> = Asked extends EventType
  ? Asked
  : Asked extends { readonly eventType: infer Type }
    ? Type
    : unknown;
type Found<Asked> = DeliveryFound<TypeOf<Asked>>;

/** How long a wait may take. */
export interface WaitOptions {
  /** In real time: `"2s"`, or ms. Default: the client's `within`. */
  readonly within?: Duration;
}

/**
 * What a reply must be like, with the keys of the `reply` step; all given ones must match. `matches` is a regular expression in RE2's
 * syntax that is found in the text: as text it ignores case, a RegExp has its own flags i, m and s.
 */
export type ReplyMatch = Omit<DeepReadonly<AwaitedReply>, "thread" | "matches" | "within"> &
  WaitOptions & { readonly matches?: string | RegExp };

/** A log, and the match to look for. */
export type Looked = { readonly requests: RequestMatch } | { readonly deliveries: DeliveryMatch };

/** How many entries there must be; without `max`, any number from `min` on. */
export interface CountRange {
  readonly min?: number;
  readonly max?: number;
}

/** A message that your program sent and the customer can see. */
export interface Reply {
  /** Null for a template. */
  readonly text: string | null;
  /** Null for free-form text. */
  readonly contentSid: string | null;
  /** The call that sent it. */
  readonly request: RequestRecord;
}

/** What a test can wait for and verify in one sandbox. Timeouts are real time; the server performs the waits. */
export class Expectations {
  readonly #transport: Transport;
  readonly #consumed: ConsumedEntries;
  readonly #within: Duration;

  // `within` is the default time limit of waits.
  constructor(transport: Transport, within: Duration) {
    this.#transport = transport;
    this.#consumed = new ConsumedEntries(transport);
    this.#within = within;
  }

  /**
   * A method that calls any route of the control API, given the parts of its path, then its query for GET, or else its body.
   *
   * @example
   * await sandbox.route("DELETE /requests")();
   * const { ok, message } = await sandbox.route("POST /webhooks/:hookId/ping")("crm");
   */
  route<Line extends RouteLine>(line: Line): RouteMethod<Line> {
    return this.#transport.route(line);
  }

  /** Resets to the initial fixture and options; named snapshots stay. */
  async reset(): Promise<{ readonly sandbox: string }> {
    const done = await this.route("POST /reset")();
    this.#consumed.restart();
    return done;
  }

  /**
   * Runs a scenario in this sandbox, given as a name that the server knows, as YAML text or as an object. The sandbox is not
   * reset first, unless the scenario has `fixtures`, `clock`, `seed` or `behaviour`; with `hook`, all webhooks then point there.
   *
   * @example
   * const report = await sandbox.run({ name: "Greets", thread: "9001", steps: [{ customer: "Hello" }, { reply: "Hi!" }] });
   * expect(report.ok).toBe(true);
   */
  async run(
    scenario: string | object,
    { hook }: { readonly hook?: string | undefined } = {},
  ): Promise<ScenarioReport> {
    const isName = typeof scenario === "string" && !/[\n{]/.test(scenario);
    const body = isName ? { name: scenario } : { scenario };
    const answer = await this.route("POST /scenarios/run")({ ...body, hook });
    const report = answer as unknown as ScenarioReport;
    await this.#consumed.sync();
    this.#consumed.use(report.steps.flatMap(({ used = [] }) => used));
    return report;
  }

  /**
   * Waits for your program's next message in the thread that is visible to the customer and matches.
   * Each message is returned once; earlier ones count.
   *
   * @throws ExpectationError with the nearest messages
   * @example
   * await sandbox.customerSays("9001", "Hello");
   * await sandbox.waitForReply("9001", /hello|good morning/i);
   * await sandbox.waitForReply("9001", { template: "issue_back", within: "1s" });
   */
  async waitForReply(
    threadId: string | number,
    reply: string | RegExp | ReplyMatch = {},
    options: WaitOptions = {},
  ): Promise<Reply> {
    const asked = isRegExp(reply) ? { matches: reply } : reply;
    const { within, ...match }: ReplyMatch = typeof asked === "object" ? asked : { text: asked };
    const matches = isRegExp(match.matches) && { matches: withFlags(match.matches) };
    const what = `No reply in thread ${threadId}`;
    const wait = { within, ...options, purpose: "replies" };
    const request = await this.#take("reply", { thread: threadId, ...match, ...matches }, what, wait);
    const { text = null, contentSid = null } = request.body as Partial<Reply>;
    return { text, contentSid, request };
  }

  /**
   * Checks that your program sends no message that the customer can see into the thread. Messages since the last call of the
   * test that caused a delivery count, unless a wait has returned them; then it waits for the given real time: `"500ms"`, or ms.
   *
   * @throws ExpectationError with the messages
   * @example
   * await sandbox.employeeSays("9001", "501", "I take over");
   * await sandbox.silent("9001", "500ms");
   */
  async silent(threadId: string | number, time: Duration): Promise<void> {
    await this.#quiet("reply", { thread: threadId }, time, `no visible message in thread ${threadId}`);
  }

  /**
   * Waits for the next matching call to the simulated API. Each call is returned once; earlier ones count.
   *
   * @example
   * const call = await sandbox.waitForRequest({ operation: "updateThreadStatus", body: { status: "resolved" } });
   */
  waitForRequest(match: RequestMatch = {}, options: WaitOptions = {}): Promise<RequestRecord> {
    return this.#take("requests", match, "No request", options);
  }

  /**
   * Waits for the next matching delivery. Unless the match names a status, the delivery must be finished: delivered, failed,
   * dropped or blocked. Each delivery is returned once; earlier ones count.
   *
   * @example
   * const { body } = await sandbox.waitForDelivery("transfer");
   * body.data.newBusinessName;
   */
  async waitForDelivery<const Asked extends DeliveryAsked>(
    asked: Asked,
    options: WaitOptions = {},
  ): Promise<Found<Asked>> {
    const delivery = await this.#take("deliveries", deliveryMatch(asked), "No delivery", options);
    return delivery as Found<Asked>;
  }

  /**
   * Checks that no call or delivery matches: among those since the last call of the test that caused a delivery, unless a wait has
   * returned them, and then for the given real time.
   *
   * @throws ExpectationError with the entries
   */
  async expectNone(what: Looked, time: Duration): Promise<void> {
    const [log, match] = looked(what);
    await this.#quiet(log, match, time, `no ${ONE[log]}`);
  }

  /** Waits until no call is in flight and no delivery is due. */
  async idle({ within = this.#within }: WaitOptions = {}): Promise<void> {
    const call = { body: { for: "idle", timeoutMs: realTime(within) }, accept: [408] };
    type Refused = { readonly error: { readonly message: string } };
    const { status, body } = await this.#transport.answer<Refused>("POST", "/wait", call);
    if (status === 408) throw new ExpectationError(body.error.message, status);
  }

  /**
   * Checks how many calls or deliveries match now; without `count`, at least one must.
   *
   * @throws ExpectationError if the number differs
   * @example
   * await sandbox.verify({ requests: { operation: "sendMessageToCustomerThread" }, count: 1 });
   * await sandbox.verify({ deliveries: { status: "failed" }, count: { max: 2 } });
   */
  async verify({
    count,
    ...what
  }: Looked & { readonly count?: number | CountRange }): Promise<{ ok: true; count: number }> {
    const call = { body: { ...what, count }, accept: [422] };
    const { status, body } = await this.#transport.answer<Verdict>("POST", "/verify", call);
    if (status === 200) return { ok: true, count: body.count };
    const { matches = [] } = body;
    const [log, match] = looked(what);
    const expected = `expected ${countWords(count, log)}, but ${body.count} match`;
    const newest = `  the newest: ${matches.map(({ id }) => id).join(", ")}`;
    throw failure(expected, status, match, body, matches.length > 0 ? [newest] : []);
  }

  /** The oldest matching entry that was not returned for this purpose before. @throws ExpectationError */
  async #take<L extends keyof Waitable>(
    log: L,
    match: object,
    what: string,
    { within = this.#within, ...options }: WaitOptions & Pick<TakeOptions, "purpose">,
  ): Promise<Waitable[L]> {
    const timeoutMs = realTime(within);
    const { entry, ...missed } = await this.#consumed.take(log, match, { ...options, timeoutMs });
    if (entry !== undefined) return entry;
    const all = await waitForEntries(this.#transport, log, match, { timeoutMs: 0 });
    const count = all.matches.length;
    const before = count === 0 ? "" : ` besides ${count} returned before`;
    const why = missed.why === undefined ? "" : `: ${inSentence(missed.why)}`;
    const expected = `${what} within ${timeoutMs} ms${before}${why}`;
    throw failure(expected, 408, match, { ...missed, count });
  }

  /** Resolves if no entry matches that is not used up. @throws ExpectationError as soon as one does */
  async #quiet(log: keyof Waitable, match: object, time: Duration, expected: string): Promise<void> {
    const forMs = realTime(time);
    const { matches, evicted } = await this.#consumed.quiet(log, match, forMs);
    const what = `expected ${expected} for ${forMs} ms, but`;
    const came = matches.map((entry) => (log === "reply" ? valueText(messageIn(entry)) : titleOf(entry)));
    if (came.length > 0)
      throw new ExpectationError(
        `${what} ${came.length === 1 ? "this" : "these"} arrived: ${came.join(", ")}`,
        200,
        { count: came.length },
        matches.map((entry) => `  ${entry.id}  ${titleOf(entry)}\n      ${valueText(entry.body)}`),
      );
    if (evicted !== undefined)
      throw failure(`${what} not everything was kept`, 408, match, { count: 0, evicted });
  }
}

/** A time limit, ms. @throws TypeError */
function realTime(limit: Duration): number {
  const ms = milliseconds(limit);
  if (ms >= 0) return ms;
  throw new TypeError(
    `a time limit must be a duration such as "2s", or milliseconds, but is ${valueText(limit)}`,
  );
}

/** The expression as text, which otherwise ignores case. */
function withFlags(expression: RegExp): string {
  const flags = flagsOf(expression);
  return `(?${flags}${flags.includes("i") ? "" : "-i"}:${expression.source})`;
}

interface Verdict {
  readonly count: number;
  readonly matches?: readonly { readonly id: string }[];
  readonly nearMisses?: readonly NearMiss[];
  readonly evicted?: number;
}

const looked = (what: Looked): [log: LogName, match: object] =>
  "requests" in what ? ["requests", what.requests] : ["deliveries", what.deliveries];

/** The text of a message, or which template it is. */
function messageIn({ body }: Logs[LogName]): unknown {
  const { text, contentSid } = body as Partial<Reply>;
  return text ?? contentSid;
}

/** Without a status in the match, the delivery must be finished. */
function deliveryMatch(asked: DeliveryAsked): object {
  const match = typeof asked === "string" ? { eventType: asked } : asked;
  return { status: { $not: "pending" }, ...match };
}

const ONE = { requests: "request", deliveries: "delivery" } as const;

function countWords(count: number | CountRange | undefined, log: LogName): string {
  const entries = (number: number) => `${number} ${number === 1 ? ONE[log] : log}`;
  if (typeof count === "number") return `exactly ${entries(count)}`;
  const { min = 0, max } = count ?? { min: 1 };
  return max === undefined ? `at least ${entries(min)}` : `${min} to ${entries(max)}`;
}

function failure(
  expected: string,
  status: number,
  match: object,
  { count, nearMisses, evicted }: Omit<Verdict, "matches">,
  notes: readonly string[] = [],
): ExpectationError {
  const all = [...matchLines(match), ...notes];
  if (evicted !== undefined)
    all.push(`  evicted entries that might have matched: ${evicted} (the journal keeps a limited number)`);
  return new ExpectationError(expected, status, { count, nearMisses }, all);
}

/** What a sandbox has promised in its answers, and must hold: what two simulators with the same fault would agree on. */
import { expect } from "vitest";
import type { Answer, Running } from "../support/simulator.js";
import type { Call } from "./commands.js";
import type { Session } from "./features.js";

/** What a snapshot brings back. */
interface Kept {
  /** The instant at which its run began, ms: tokens without `issuedAt` were issued then. */
  readonly began: number;
  /** Which tokens began or continued a conversation through the widget, by thread. */
  readonly users: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Seen extends Pick<Answer, "status" | "body"> {}

const BY_HAND = /^POST \/threads\/\d+\/(inbound|employee-message)$/;

export class Ledger {
  /** The thread in which the widget was answered last. */
  lastThread = "9001";
  readonly #snapshots = new Map<string, Kept>();
  #now: Kept = { began: 0, users: new Map() };
  readonly #given = new Set<string>();
  readonly #delivered = new Set<string>();
  #run = new Set<string>();

  #lifetime: string | null = null;

  constructor(private readonly session: Pick<Session, "ids" | "behaviour">) {}

  /** A run began at this instant, ms. */
  begin(began: number): void {
    this.#lifetime = this.session.behaviour["tokens.lifetime"] ?? null;
    this.#now = { began, users: new Map() };
    for (const id of this.#run) this.#delivered.add(id);
    this.#run = new Set();
  }

  /** Whether the token of a call is refused; undefined where a fault may answer instead. */
  async expires({ control }: Running, sandbox: string, { token = "acme-token" }: Call) {
    const get = async (path: string) => control(`GET /sandboxes/${sandbox}${path}`);
    const { body: faults } = await get("/faults");
    if (faults.some(({ on }: { on: string }) => on === "request")) return undefined;
    const { status, body: record } = await get(`/data/tokens/${token}`);
    if (status === 404) return true;
    if (this.#lifetime === null) return false;
    const { body: clock } = await get("/clock");
    return clock.now >= (record.issuedAt ?? this.#now.began) + msOf(this.#lifetime);
  }

  /** Takes down what an answer promises, and compares it with what earlier ones did. */
  note(call: Call, { status, body }: Seen): void {
    const { call: line, token = "acme-token" } = call;
    const sent = (call.body ?? {}) as Readonly<Record<string, string>>;
    if (Array.isArray(body?.body) && Array.isArray(body.headers))
      expect([...body.body, ...body.headers].length, `problems of ${line}`).toBeGreaterThan(0);
    if (line.includes("/send-message-to-customer-thread") && this.#mayUse(sent.customerThreadId, token))
      expect(status, `${token} may go on in ${sent.customerThreadId}`).not.toBe(403);
    if (status >= 300) return;
    if (line === "PATCH /behaviour" && "tokens.lifetime" in sent) this.#lifetime = sent["tokens.lifetime"]!;
    else if (line === "PUT /state") this.#now = { ...this.#now, users: new Map() };
    else if (line === "POST /snapshots") this.#snapshots.set(String(sent.name), this.#now);
    else if (line.startsWith("POST /snapshots/")) this.#now = this.#snapshots.get(line.split("/")[2]!)!;
    else if (line.includes("/widget/")) this.#answeredWidget(String(body.customerThreadId), token);
    else if (BY_HAND.test(line)) this.#isNew(`message ${body.id}`);
  }

  #mayUse(thread: string | undefined, token: string): boolean {
    return this.#now.users.get(thread ?? "")?.has(token) === true;
  }

  #answeredWidget(thread: string, token: string): void {
    this.lastThread = thread;
    const known = this.#now.users.get(thread);
    this.#now = {
      ...this.#now,
      users: new Map([...this.#now.users, [thread, new Set([...(known ?? []), token])]]),
    };
  }

  /** With ids apart, an id is given out once only, over all resets, restores and restarts. */
  #isNew(id: string): void {
    if (this.session.ids === "apart") expect(this.#given, `${id} is given out once`).not.toContain(id);
    this.#given.add(id);
  }

  /** Takes down the deliveries of the current run. */
  noteDeliveries(deliveries: readonly { id: string }[]): void {
    for (const { id } of deliveries) {
      if (this.session.ids === "apart") expect(this.#delivered, `${id} is given out once`).not.toContain(id);
      this.#run.add(id);
    }
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration of the drawn ones in ms. */
const msOf = (text: string): number => Number.parseInt(text, 10) * UNITS[text.at(-1)!]!;

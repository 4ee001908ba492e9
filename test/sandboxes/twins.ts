/**
 * Two simulators get the same calls: one keeps everything in memory and never stops, the other one has a folder and is
 * restarted again and again. Whatever the calls are, their answers and deliveries are the same. What both could get wrong in
 * the same way is compared with what their answers promised (`ledger.ts`).
 */
import fc from "fast-check";
import { expect } from "vitest";
import fixture from "../../fixtures/default.json" with { type: "json" };
import type { SimulatorOptions } from "../../src/server/simulator.js";
import type { FixtureInput } from "../../src/service/world/records.js";
import { imageOf, newFolder } from "../persistence/support.js";
import { serverOf } from "../support/server.js";
import { type Answer, type Running, startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";
import { type Call, isApi, play } from "./commands.js";
import {
  deals,
  HOOKS,
  LAST_THREAD,
  leadingTo,
  RECEIVER,
  type Session,
  type Step,
  sessionsOf,
} from "./features.js";
import { Ledger } from "./ledger.js";
import { plain } from "./observe.js";

const ROUTES = "/state /clock /behaviour /faults /snapshots /start /deliveries?status=pending".split(" ");

/** A receiver of webhooks that answers as it is told, and knows what came since one asked last. */
async function startReceiver() {
  let seen: string[] = [];
  const receiver = {
    origin: "",
    status: 200,
    /** Each path has a secret of its own: these came with that of another one. */
    leaks: [] as string[],
    /** What came, and where; sorted, since webhooks do not wait for each other. */
    take: () => {
      const taken = seen.sort();
      seen = [];
      return taken;
    },
  };
  receiver.origin = await serverOf(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url, headers } = request;
    if (url !== `/${headers["x-secret"]}`)
      receiver.leaks.push(`${url} got the secret ${headers["x-secret"]}`);
    seen.push([url, Buffer.concat(chunks)].join(" "));
    response.writeHead(receiver.status).end();
  });
  return receiver;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The simulator that stops: whatever is done to it, it is started again on its folder. */
class Stopping {
  #folder = newFolder();
  #sim: Running | undefined;

  constructor(private readonly start: SimulatorOptions) {}

  async sim(): Promise<Running> {
    this.#sim ??= await startSimulator({ ...this.start, data: this.#folder, durability: "strict" });
    return this.#sim;
  }

  async restart(how: "close" | "kill"): Promise<void> {
    if (how === "kill") this.#folder = imageOf(this.#folder);
    await this.#sim?.close();
    this.#sim = undefined;
  }

  /** Leaves what a failed session may have broken. */
  async renew(): Promise<void> {
    await this.#sim?.close();
    this.#sim = undefined;
    this.#folder = newFolder();
  }
}

/** One session of the two. */
class Twins {
  readonly #ledger: Ledger;

  constructor(
    readonly id: string,
    private readonly session: Session,
    private readonly receiver: Receiver,
    private readonly twin: Running,
    private readonly stopping: Stopping,
  ) {
    this.#ledger = new Ledger(session);
  }

  get #path(): string {
    return `/sandboxes/${this.id}`;
  }

  /** Does the same in both, one after the other, and returns what was seen, which must be the same. */
  async #both<T>(work: (sim: Running) => Promise<T>, what: unknown, changes = true): Promise<T> {
    const seen: T[] = [];
    const views: unknown[] = [];
    for (const sim of [this.twin, await this.stopping.sim()]) {
      const result = await work(sim);
      if (changes) await settled(sim, this.#path);
      seen.push(result);
      views.push(plain({ result, received: this.receiver.take() }, this.id));
    }
    expect(this.receiver.leaks).toEqual([]);
    expect(views[1], `after ${JSON.stringify(what)}`).toEqual(views[0]);
    return seen[0] as T;
  }

  /** Everything of a sandbox that outlasts the process. */
  async observe(): Promise<void> {
    const look = async ({ control }: Running) => {
      const seen = await Promise.all(ROUTES.map((route) => control(`GET ${this.#path}${route}`)));
      return seen.map(({ status, body }) => [status, body]);
    };
    await this.#both(look, "everything so far", false);
    await this.#noteDeliveries();
  }

  async #noteDeliveries(): Promise<void> {
    this.#ledger.noteDeliveries((await this.twin.control(`GET ${this.#path}/deliveries`)).body);
  }

  async play(step: Step): Promise<void> {
    if ("answers" in step) this.receiver.status = step.answers;
    else if ("restart" in step) await this.#restart(step.restart);
    else if ("rewrite" in step) await this.#rewrite();
    else await this.#call(this.#filledIn(step));
  }

  async #playAll(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.play(step);
  }

  #filledIn(call: Call): Call {
    const text = JSON.stringify(call)
      .replaceAll(LAST_THREAD, this.#ledger.lastThread)
      .replaceAll(RECEIVER, this.receiver.origin);
    return JSON.parse(text);
  }

  async #call(call: Call): Promise<void> {
    const expired = isApi(call) ? await this.#ledger.expires(this.twin, this.id, call) : undefined;
    if (call.call === "POST /reset") await this.#noteDeliveries();
    const changes = !call.call.startsWith("GET ");
    const answer = await this.#both(async (sim) => seenOf(await play(sim, this.id, call)), call, changes);
    if (answer === undefined) return;
    if (expired !== undefined) expect(answer.status === 401, JSON.stringify(call)).toBe(expired);
    this.#ledger.note(call, answer);
    if (answer.status !== 200) return;
    if (call.call === "POST /reset") this.#ledger.begin(await this.#now());
    if (call.call.endsWith("/restore")) expect(await this.#now()).toBe(answer.body.now);
  }

  /** The clock's instant, ms. */
  async #now(): Promise<number> {
    return (await this.twin.control(`GET ${this.#path}/clock`)).body.now;
  }

  async #rewrite(): Promise<void> {
    await this.#both(async ({ control }) => {
      const { body } = await control(`GET ${this.#path}/state`);
      const { status } = await control(`PUT ${this.#path}/state`, body);
      expect([status, (await control(`GET ${this.#path}/state`)).body]).toEqual([200, body]);
    }, "the state written back");
  }

  async #restart(how: "close" | "kill" | "checkpoint"): Promise<void> {
    if (how === "checkpoint") {
      const { control } = await this.stopping.sim();
      expect((await control("POST /checkpoint")).status).toBe(200);
      return;
    }
    // The numbers of calls are written with the next change that waits for the disk.
    if (how === "kill") await this.play({ call: "POST /snapshots", body: { name: "last" } });
    await this.stopping.restart(how);
    await settled(await this.stopping.sim(), this.#path);
    await this.observe();
  }

  /** Plays the session and then what shows most of what could be lost, before and after a restart. */
  async run(): Promise<void> {
    const { ids, behaviour, own, steps, end } = this.session;
    const start = {
      id: this.id,
      ids,
      behaviour,
      ...(own ? { fixtures: fixtureOf(this.receiver, "Own") } : {}),
    };
    await this.#both(async ({ control }) => (await control("POST /sandboxes", start)).status, "its start");
    this.#ledger.begin(await this.#now());
    await this.#playAll([...steps, ...FIRST, ...(end.reset ? [BEGIN_LATER] : []), ...BEFORE]);
    await this.#playAll([
      ...(end.checkpoint ? [{ restart: "checkpoint" } as const] : []),
      { restart: "close" },
    ]);
    await this.#playAll(AFTER);
    const { body: snapshots } = await this.twin.control(`GET ${this.#path}/snapshots`);
    for (const { name } of snapshots as { name: string }[]) {
      const again = { call: "POST /snapshots", body: { name: "again" } };
      await this.#playAll([{ call: `POST /snapshots/${name}/restore` }, again, ...HOURS]);
      await this.#playAll([{ call: "POST /snapshots/again/restore" }, ...HOURS]);
    }
    await this.play({ call: "POST /clock/advance", body: { by: "25h" } });
    await this.observe();
    await this.#playAll([{ call: "POST /reset" }, INBOUND]);
    await this.observe();
    await this.#both(({ control }) => control(`DELETE ${this.#path}`), "its end", false);
  }
}

/** An answer as two can be compared. */
function seenOf(answer: Answer | undefined) {
  if (answer === undefined) return undefined;
  const { status, headers, body } = answer;
  return { status, body, decidedBy: headers.get("x-sim-behaviour"), retryAfter: headers.get("retry-after") };
}

const probe = (token: string): Step => ({ call: HOOKS, token });
const patch = (values: object): Step => ({ call: "PATCH /behaviour", body: values });

const INBOUND: Step = { call: "POST /threads/9001/inbound", body: { text: "Hello" } };

/** A snapshot, which is older than the run that it is restored in where the session begins later once more. */
const FIRST: readonly Step[] = [
  { call: "DELETE /faults" },
  { call: "POST /clock/advance", body: { by: "90m" } },
  { call: "POST /snapshots", body: { name: "kept" } },
];
const BEGIN_LATER: Step = { call: "POST /reset", body: { clock: "2026-01-01T11:00:00Z" } };
/** What a restart must not lose: a retry and what waits behind it, an update since, and a call that counts. */
const BEFORE: readonly Step[] = [
  { call: "DELETE /faults" },
  patch({ "delivery.attempts": 4, "delivery.backoff": ["1m"], "limits.rate": null, "tokens.lifetime": null }),
  { answers: 500 },
  INBOUND,
  INBOUND,
  { call: "PATCH /data/webhooks/1", body: leadingTo("last") },
  { answers: 200 },
  patch({ "limits.rate": { requests: 2, per: "90m" } }),
  probe("acme-token"),
];
const AFTER: readonly Step[] = [
  probe("acme-token"),
  probe("acme-token"),
  { call: "POST /clock/advance", body: { by: "5m" } },
  patch({ "tokens.lifetime": "3h", "window.duration": "4h", "window.undatedEnd": "lastMessage" }),
];
/** After these, some of what expires has done so, and some has not. */
const HOURS: readonly Step[] = [
  probe("acme-token"),
  { call: "POST /clock/advance", body: { by: "2h" } },
  probe("acme-token"),
  INBOUND,
  { call: "GET /data/threads" },
];

/** The fixture that ships, with its webhook at the receiver. */
const fixtureOf = ({ origin }: Receiver, name = "Acme") =>
  ({
    ...fixture,
    organizations: fixture.organizations.map((one) => ({ ...one, name: `${name} ${one.id}` })),
    webhooks: fixture.webhooks.map((webhook) => ({ ...webhook, ...leadingTo("hook", origin) })),
  }) as FixtureInput;

/** How long a shorter session that fails is looked for, ms: the seed must be printed before the test times out. */
const SHRINKING_MS = 20_000;

/** Plays all features this many times. A failure names its seed and its steps. */
export async function expectTwins(rounds: number): Promise<void> {
  const receiver = await startReceiver();
  const start: SimulatorOptions = {
    clock: "2026-01-01T09:00:00Z",
    fixtures: fixtureOf(receiver),
    set: {},
    faults: [{ on: "delivery", after: 4, times: 1, then: "unavailable" }],
  };
  const twin = await startSimulator(start);
  const stopping = new Stopping(start);
  let made = 0;
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const play = async (session: Session) => {
    if (performance.now() > shrinkUntil) return;
    made += 1;
    Object.assign(receiver, { status: 200, leaks: [] });
    receiver.take();
    await new Twins(`s${made}`, session, receiver, twin, stopping).run().catch(async (failure) => {
      shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINKING_MS);
      await stopping.renew();
      throw failure;
    });
  };
  for (const features of fc.sample(deals, rounds).flat())
    await fc.assert(fc.asyncProperty(sessionsOf(features), play), { numRuns: 1 });
}

import type { ScenarioReport } from "./scenarios.js";
import type { StreamEvent } from "./stream.js";
import { streamOf } from "./stream.js";
import { TrafficClient } from "./traffic.js";
import type { Transport } from "./transport.js";

/** What the server says of a sandbox. */
export interface SandboxInfo {
  readonly id: string;
  /** Each token of the fixture with the one that means it in this sandbox. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The base address of the simulated API. */
  readonly url: string;
  readonly seed: number;
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly frozen: boolean;
  /** Real time of its end by `ttlMs`, ms; null for never. */
  readonly expiresAt: number | null;
}

/** Everything that can be done with one sandbox. */
export class SandboxClient extends TrafficClient {
  constructor(
    wire: Transport,
    timeoutMs: number,
    readonly id: string,
    /** The base address of the simulated API: what the system under test is given. */
    readonly url: string,
  ) {
    super(wire, timeoutMs);
  }

  /** The API key that means the fixture's token in this sandbox. It decides to which sandbox a call belongs. */
  token(fixtureToken: string): string {
    return this.id === "default" ? fixtureToken : `${this.id}.${fixtureToken}`;
  }

  /**
   * Runs a scenario, one that the server knows by name or the scenario itself, in this sandbox as it stands. One with
   * `fixtures`, `clock`, `seed` or `behaviour` resets it to them first.
   *
   * @example
   * const report = await sandbox.run({ name: "Greets", thread: "9001", steps: [{ customer: "Hello" }, { reply: "Hi!" }] });
   * expect(report.ok).toBe(true);
   */
  async run(scenario: string | object): Promise<ScenarioReport> {
    const body = typeof scenario === "string" ? { name: scenario } : { scenario };
    const report = await this.wire.call<ScenarioReport>("POST", "/scenarios/run", { body });
    this.restartWaiting();
    return report;
  }

  /** The scenarios that `run` knows by name. */
  scenarios(): Promise<{ readonly name: string; readonly file: string }[]> {
    return this.wire.call("GET", "/scenarios");
  }

  /**
   * Everything that happens from now on, as it happens. The first event is `hello`.
   *
   * @example
   * for await (const { event, data } of sandbox.stream()) if (event === "delivery") console.log(data.status);
   */
  stream({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<StreamEvent, void> {
    return streamOf(this.wire, signal);
  }
}

/** A world of one test's own: it goes with `dispose`, or at the end of an `await using`. */
export class Sandbox extends SandboxClient implements AsyncDisposable {
  /** Each token of the fixture with the one that means it in this sandbox. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly #delete: () => Promise<void>;

  constructor(
    wire: Transport,
    timeoutMs: number,
    { id, url, tokens }: SandboxInfo,
    remove: () => Promise<void>,
  ) {
    super(wire, timeoutMs, id, url);
    this.tokens = tokens;
    this.#delete = remove;
  }

  /** As in the fixture at the start. @throws TypeError for a token that it does not have */
  override token(fixtureToken: string): string {
    const token = this.tokens[fixtureToken];
    if (token !== undefined) return token;
    const known = Object.keys(this.tokens).join(", ");
    throw new TypeError(`the sandbox has no token "${fixtureToken}": it has ${known || "none"}`);
  }

  /** Deletes the sandbox; what it was doing is abandoned. Nothing happens when it is gone already. */
  dispose(): Promise<void> {
    return this.#delete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

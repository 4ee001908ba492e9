import { sandboxToken } from "./address.js";
import { ConsumedEntries } from "./consumed-entries.js";
import { Conversations } from "./conversations.js";
import { Expectations } from "./expectations.js";
import { Scenarios } from "./scenarios.js";
import { SandboxState } from "./state.js";
import { Traffic } from "./traffic.js";
import type { Transport } from "./transport.js";
import type { SandboxInfo } from "./types.js";

/** The public methods of a class. */
type Methods<T> = { [Name in keyof T]: T[Name] };

/** Everything that can be done with one sandbox: the methods of each capability. */
export interface SandboxClient
  extends Methods<SandboxState>,
    Methods<Conversations>,
    Methods<Expectations>,
    Methods<Traffic>,
    Methods<Scenarios> {}

export class SandboxClient {
  constructor(
    transport: Transport,
    timeoutMs: number,
    readonly id: string,
    /** The base address of the simulated API: what the system under test is given. */
    readonly url: string,
  ) {
    const consumed = new ConsumedEntries(transport);
    addMethods(this, [
      new SandboxState(transport, consumed),
      new Conversations(transport),
      new Expectations(transport, consumed, timeoutMs),
      new Traffic(transport),
      new Scenarios(transport, consumed),
    ]);
  }

  /** The API key that means the fixture's token in this sandbox. It decides to which sandbox a call belongs. */
  token(fixtureToken: string): string {
    return sandboxToken(this.id, fixtureToken);
  }
}

/** Gives an object the methods of others, bound to those. */
function addMethods(target: object, sources: readonly object[]): void {
  for (const source of sources) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(source));
    for (const [name, method] of Object.entries(methods))
      Object.defineProperty(target, name, { ...method, value: method.value.bind(source) });
  }
}

/** A sandbox of one test's own: `dispose`, or the end of an `await using`, deletes it. */
export class Sandbox extends SandboxClient implements AsyncDisposable {
  /** Each token of the fixture with the one that means it in this sandbox. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly #delete: () => Promise<void>;

  constructor(
    transport: Transport,
    timeoutMs: number,
    { id, url, tokens }: SandboxInfo,
    remove: () => Promise<void>,
  ) {
    super(transport, timeoutMs, id, url);
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

  /** Deletes the sandbox and aborts what it was doing. Nothing happens when it is deleted already. */
  dispose(): Promise<void> {
    return this.#delete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

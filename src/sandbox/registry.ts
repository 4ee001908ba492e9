import { DEFAULT_SANDBOX } from "../kernel/names.js";
import { Coverage } from "./coverage.js";
import type { Heap } from "./memory.js";
import type { Run, RunContext } from "./run.js";
import { type KeptSandbox, Sandbox, type SandboxContext, type SandboxSetup } from "./sandbox.js";
import { NOT_SAVED } from "./saver.js";

/** The order of ids whose age is unknown: `default` first. */
export const byName = (a: string, b: string): number =>
  Number(b === DEFAULT_SANDBOX) - Number(a === DEFAULT_SANDBOX) || (a < b ? -1 : 1);

/** A token, and the current run of the sandbox that owns it. */
export interface TokenOwner {
  readonly run: Run;
  /** The token as named in the sandbox's own state; null if it is unknown. */
  readonly token: string | null;
}

/** The id of the sandbox that a token names, whether it exists or not. */
export function idInToken(token: string | undefined): string {
  const dot = token?.indexOf(".") ?? -1;
  return token === undefined || dot < 1 ? DEFAULT_SANDBOX : token.slice(0, dot);
}

/** All sandboxes of one simulator. `default` always exists, unless several processes share the sandboxes. */
export class SandboxRegistry {
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #fallback: Sandbox | undefined;
  readonly #watchers = new Set<(added?: Sandbox) => void>();
  readonly #context: SandboxContext;
  #epochs = 0;
  /** Internal errors of the simulator that were contained. */
  failures = 0;
  readonly #ended = new Coverage();

  /** `kept`: the saved ones; `isShared`: any sandbox may be in another process, and none is open at first. */
  constructor(
    defaults: Omit<SandboxSetup, "id">,
    readonly heap: Heap,
    outbox: RunContext["outbox"],
    report: SandboxContext["report"],
    saverOf: SandboxContext["saverOf"] = () => NOT_SAVED,
    kept: readonly (readonly [SandboxSetup, KeptSandbox])[] = [],
    isShared = false,
  ) {
    const nextEpoch = () => ++this.#epochs;
    this.#context = { saverOf, outbox, nextEpoch, report };
    for (const [options, sandbox] of kept) this.create(options, sandbox);
    const options = { ...defaults, id: DEFAULT_SANDBOX };
    if (isShared) this.#fallback = new Sandbox(options, { ...this.#context, saverOf: () => NOT_SAVED });
    else if (!this.#sandboxes.has(DEFAULT_SANDBOX)) this.create(options);
  }

  /** The sandbox `default`, or a fallback while another process has it: in its initial state, and not saved. */
  get default(): Sandbox {
    return this.#sandboxes.get(DEFAULT_SANDBOX) ?? (this.#fallback as Sandbox);
  }

  get size(): number {
    return this.#sandboxes.size;
  }

  get(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id);
  }

  all(): IterableIterator<Sandbox> {
    return this.#sandboxes.values();
  }

  /** Creates a sandbox, or opens the saved one with these options. */
  create(options: SandboxSetup, kept?: KeptSandbox): Sandbox {
    const sandbox = new Sandbox(options, this.#context, kept);
    this.#sandboxes.set(sandbox.id, sandbox);
    for (const watcher of this.#watchers) watcher(sandbox);
    return sandbox;
  }

  isFallback(run: Run): boolean {
    return this.#fallback?.run === run;
  }

  /** Calls `watcher` whenever a sandbox is added or removed, until the returned function is called. */
  watch(watcher: (added?: Sandbox) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Calls `listener` with each existing and future sandbox. */
  each(listener: (sandbox: Sandbox) => void): void {
    for (const sandbox of this.all()) listener(sandbox);
    this.watch((added) => {
      if (added !== undefined) listener(added);
    });
  }

  remove(sandbox: Sandbox): void {
    this.close(sandbox);
    sandbox.saver.removed();
  }

  /** Closes a sandbox here; it continues wherever it is saved. */
  close(sandbox: Sandbox): void {
    sandbox.close();
    this.#ended.add(sandbox.coverage);
    this.#sandboxes.delete(sandbox.id);
    for (const watcher of this.#watchers) watcher();
  }

  coverage(): Coverage {
    const sum = new Coverage();
    sum.add(this.#ended);
    for (const { coverage } of this.all()) sum.add(coverage);
    return sum;
  }

  /** The sandbox of a call: `s.<token>` belongs to `s`; any other token, or one that only `default` has, to `default`. */
  ownerOf(token: string | undefined): TokenOwner {
    const { run } = this.default;
    if (token === undefined) return { run, token: null };
    const dot = token.indexOf(".");
    const named = dot > 0 ? this.#sandboxes.get(token.slice(0, dot))?.run : undefined;
    const own = named?.world.get("tokens", token.slice(dot + 1)) ?? null;
    const known = own === null ? run.world.get("tokens", token) : undefined;
    if (named === undefined || known !== undefined) return { run, token: known?.id ?? null };
    return { run: named, token: own?.id ?? null };
  }
}

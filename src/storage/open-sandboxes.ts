import type { Sandbox } from "../sandbox/sandbox.js";

/** In so many rounds without a call a sandbox has become idle. */
export const IDLE_ROUNDS = 4;

/** A sandbox that is open in this process, and for how many rounds nobody has called it. */
export class OpenSandbox {
  /** Whether somebody has called it in this round. */
  isUsed = true;
  rounds = 0;

  constructor(readonly sandbox: Sandbox) {}

  /** Whether nobody has called it lately, and nothing goes on in it. */
  get isUnused(): boolean {
    return !this.isUsed && this.sandbox.isQuiet;
  }

  /** Begins another round. @returns whether it has become idle */
  nextRound(): boolean {
    this.rounds = this.isUnused ? this.rounds + 1 : 0;
    this.isUsed = false;
    return this.rounds >= IDLE_ROUNDS;
  }
}

/** The sandboxes that are open in this process, by id. */
export class OpenSandboxes extends Map<string, OpenSandbox> {
  /** Whether this very sandbox is open, and not another one with its id. */
  holds(sandbox: Sandbox): boolean {
    return this.get(sandbox.id)?.sandbox === sandbox;
  }

  /** The ones first that nobody has called for longest. */
  oldestFirst(): OpenSandbox[] {
    return [...this.values()].sort((a, b) => b.rounds - a.rounds);
  }
}

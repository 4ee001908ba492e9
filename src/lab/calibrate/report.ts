/** What calibration found, and its reports. */

import { printable } from "../../kernel/printable.js";

/** One exchange that shows a value. */
export interface Evidence {
  readonly file: string;
  /** The index of the entry in its file. */
  readonly exchange: number;
  readonly operation: string;
  readonly at: string;
  readonly shows: string;
}

/** An entry of the behaviour table with its value in the service. */
export interface Learned {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly evidence: readonly Evidence[];
  /** Exchanges that show another value. */
  readonly against: readonly Evidence[];
}

export interface Contradiction {
  readonly exchange: number;
  readonly operation: string;
  /** The section of the specification that it contradicts. */
  readonly section: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Unjudged {
  readonly exchange: number;
  readonly reason: string;
}

export interface Calibration {
  readonly ok: boolean;
  readonly exchanges: {
    readonly total: number;
    readonly agree: number;
    readonly explained: number;
    readonly contradict: number;
    readonly unjudged: number;
  };
  readonly learned: readonly Learned[];
  readonly contradictions: readonly Contradiction[];
  readonly unjudged: readonly Unjudged[];
  /** The entries that nothing decided. */
  readonly open: readonly string[];
  /** What was assumed of the world, in sentences. */
  readonly assumptions: readonly string[];
}

const MAX_SHOWN = 200;

/** A value as one short line. */
export function shows(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing");
  return printable(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

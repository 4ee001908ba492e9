import type { Language } from "./language.js";

/** How much of what is generated. */
export interface GenerateOptions {
  readonly organizations: number;
  readonly businesses: number;
  readonly customers: number;
  readonly threads: number;
  /** Messages in each thread; undefined: as many as its conversation has. */
  readonly messages: number | undefined;
  readonly seed: number;
  readonly language: Language;
}

/** Names as they come in the locale, one after the other, the same for the same seed. */
export interface Names {
  firstName(): string;
  lastName(): string;
  company(): string;
  city(): string;
}

/** What the generated world takes for now, ms: 5 January 2026, 08:00 UTC. */
export const NOW = 1_767_600_000_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

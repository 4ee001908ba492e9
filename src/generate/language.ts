/** What a language brings to a generated fixture: its phrases, and how its people are named and called. */

/** One thing that customers write about, from their question to the end of it. */
interface Topic {
  /** The customer begins. */
  readonly ask: readonly string[];
  /** An employee answers. */
  readonly answer: readonly string[];
  /** The customer asks on. */
  readonly follow: readonly string[];
  /** An employee settles it. */
  readonly settle: readonly string[];
  /** What employees tell each other meanwhile, out of the customer's sight. */
  readonly note: readonly string[];
}

/** `{order}`, `{day}`, `{customer}`, `{employee}` and `{business}` in a phrase are filled in. */
export interface Language {
  /** As customers' `locale` has it (BCP 47). */
  readonly tag: string;
  /** Phone numbers are this and `digits` more. */
  readonly phone: { readonly prefix: string; readonly digits: number };
  readonly fullName: (first: string, last: string) => string;
  readonly days: readonly string[];
  /** Begins a customer's first message. */
  readonly hello: readonly string[];
  readonly topics: readonly Topic[];
  /** What a customer writes beside a picture. */
  readonly picture: readonly string[];
  readonly thanks: readonly string[];
  readonly closing: readonly string[];
  /** Approved texts, sent when the messaging window is closed. */
  readonly templates: readonly { readonly title: string; readonly text: string }[];
}

export const givenNameFirst = (first: string, last: string): string => `${first} ${last}`;
export const familyNameFirst = (first: string, last: string): string => `${last} ${first}`;

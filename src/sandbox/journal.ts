/** How the logs store and show calls to the simulated API and control calls. */

import { queryOf } from "../kernel/http/target.js";
import { CALL_MAKERS, type CallMaker } from "../kernel/names.js";
import { keysOf } from "../kernel/objects.js";
import { elapsedSince, monotonicNow } from "../kernel/realtime.js";
import type { InferReadonly } from "../kernel/schema.js";
import {
  array,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../kernel/schema.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { instant } from "../service/world/records.js";

export const callMakerSchema = oneOf(CALL_MAKERS);

export const warningSchema = object(
  {
    id: string({ examples: ["w1"] }),
    code: string({ examples: ["number-id"] }),
    message: string(),
    section: string({ description: "the section of the specification that does not guarantee this" }),
    requestId: nullable(string({ description: "the journal entry" })),
  },
  { title: "contract warning" },
);
/** A contract warning: the call relied on undocumented behaviour. */
export type Warning = InferReadonly<typeof warningSchema>;

const fields = {
  id: string({ examples: ["r1"] }),
  at: instant({ description: "the sandbox's time of receipt, ms" }),
  by: callMakerSchema,
  method: string(),
  path: string({ description: "without the query" }),
  query: record(string()),
  headers: record(string()),
  body: unknown({ description: "the parsed body; the text if it is not JSON; null for none" }),
  operation: nullable(string({ description: "null for an unknown path or method" })),
  token: nullable(string({ description: "as sent" })),
  status: nullable(integer({ description: "null while there is no response, or if there was none" })),
  lostStatus: optional(
    integer({ description: "the status of the response that a fault dropped after the state change" }),
  ),
  response: unknown(),
  durationMs: nullable(number({ description: "real time; null while the call is in flight" })),
  fault: optional(string({ description: "the fault rule that fired", examples: ["f1"] })),
  warnings: array(warningSchema),
};

const REQUEST_FIELDS = keysOf(fields);
export const requestRecordSchema = object(fields, { title: "request" });
/** A call as `GET /__sim/requests` shows it. */
export type RequestRecord = InferReadonly<typeof requestRecordSchema>;

/** Whether a call was carried out: it succeeded, even if its answer was lost. */
export const hasSucceeded = ({
  status,
  lostStatus,
}: Pick<RequestRecord, "status" | "lostStatus">): boolean => {
  const told = status ?? lostStatus ?? 0;
  return told >= 200 && told < 300;
};

const NONE: readonly Warning[] = [];

/** A call to the simulated API. A thousand are kept in each sandbox, so each has few objects: a settled one stores its bodies as texts. */
export class JournalEntry implements RequestRecord {
  operation: string | null = null;
  status: number | null = null;
  lostStatus: number | undefined;
  durationMs: number | null = null;
  fault: string | undefined;
  warnings: readonly Warning[] = NONE;
  /** Whether the whole call was received, including its body. */
  received = false;
  /** The token as named in the sandbox's own state; null if it is unknown. */
  ownToken: string | null = null;
  /** Of real time, by `monotonicNow`. */
  readonly started = monotonicNow();
  /** Whether observers were notified of the call's end. */
  settled = false;
  #body: unknown = null;
  /** Undefined if there is no body, or one that is not JSON. */
  #bodyText: string | undefined;
  #responseText: string | null = null;
  /** Names and values, a line each. */
  readonly #headerLines: string;

  constructor(
    readonly id: string,
    readonly at: number,
    readonly by: CallMaker,
    readonly method: string,
    readonly path: string,
    readonly token: string | null,
    readonly rawQuery: string,
    rawHeaders: readonly string[],
  ) {
    this.#headerLines = rawHeaders.join("\n");
  }

  get query(): Readonly<Record<string, string>> {
    return queryOf(this.rawQuery);
  }

  get headers(): Readonly<Record<string, string>> {
    const headers = new Map<string, string>();
    const lines = this.#headerLines.split("\n");
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const [name, value] = [(lines[at] as string).toLowerCase(), lines[at + 1] as string];
      const earlier = headers.get(name);
      headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    }
    return Object.fromEntries(headers);
  }

  get body(): unknown {
    return this.settled && this.#bodyText !== undefined ? JSON.parse(this.#bodyText) : this.#body;
  }

  get response(): unknown {
    return this.#responseText === null ? null : JSON.parse(this.#responseText);
  }

  get open(): boolean {
    return this.durationMs === null;
  }

  /** The body was received: its value, or its text if it is not JSON. */
  receive(body: { text: string; value?: unknown; problem?: string | undefined } | undefined): void {
    this.received = true;
    if (body === undefined) return;
    const isJson = body.problem === undefined;
    this.#body = isJson ? body.value : body.text;
    if (isJson) this.#bodyText = body.text;
  }

  warn(warning: Warning): void {
    this.warnings = [...this.warnings, warning];
  }

  /** Closes the entry. Both are null if the connection was closed without an answer; otherwise `response` is JSON. */
  close(status: number | null, response: string | null): void {
    this.status = status;
    this.#responseText = response;
    this.durationMs = elapsedSince(this.started, 3);
  }

  /** How long its body and its response are. */
  get bodyBytes(): number {
    const text = this.#bodyText ?? (typeof this.#body === "string" ? this.#body : "");
    return Buffer.byteLength(text) + Buffer.byteLength(this.#responseText ?? "");
  }

  settle(): void {
    this.settled = true;
    if (this.#bodyText !== undefined) this.#body = null;
  }

  toJSON(): RequestRecord {
    return Object.fromEntries(
      REQUEST_FIELDS.map((field) => [field, this[field]]),
    ) as unknown as RequestRecord;
  }
}

const MAKERS = ["page", "scenario"] as const;
/** Who made a control call, if its header says so: the dashboard, or the steps of a scenario. */
type ControlMaker = (typeof MAKERS)[number];

export const controlMakerOf = (value: unknown): ControlMaker | undefined =>
  MAKERS.find((maker) => maker === value);

export const controlRecordSchema = object(
  {
    id: string({ examples: ["c1"] }),
    at: instant({ description: "the sandbox's time of receipt, ms" }),
    by: optional(oneOf(MAKERS, { description: "omitted for other callers" })),
    method: string(),
    path: string({ description: "below /__sim, without the sandbox and the query" }),
    body: unknown({ description: "null if there was none, or it was too large to be logged" }),
    status: integer(),
    response: unknown({ description: "null if it only repeats the request or the whole state" }),
    after: nullable(string({ description: "the newest journal entry on receipt" })),
  },
  { title: "control call" },
);
/** A control call that changed something, as `GET /__sim/controls` shows it. Recordings are made from these. */
export type ControlRecord = InferReadonly<typeof controlRecordSchema>;

/** What triggered a rule, and where its notes go. */
export interface Cause {
  /** The id of the journal entry or control call; null if time passed. */
  readonly id: string | null;
  /** The journal entry, if the cause is a call of the simulated API: the rule's notes become its warnings. */
  readonly entry?: JournalEntry;
  /** The values that the rule reads, if they belong to a call of the simulated API; default: the current ones. */
  readonly behaviour?: BehaviourValues;
  /** Limits the receivers of an event triggered by hand. */
  readonly legacy?: boolean;
}

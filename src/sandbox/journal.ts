import { queryOf } from "../http/target.js";
import { elapsedSince, monotonicNow } from "../kernel/realtime.js";
import { estimateBytes } from "../kernel/size.js";
import type { CallMaker, RequestRecord, Warning } from "./request-record.js";
import { hasSucceeded, REQUEST_FIELDS } from "./request-record.js";

const NONE: readonly Warning[] = [];

/** A body as it came: its text, and its value where it is JSON. */
interface ParsedBody {
  readonly text: string;
  readonly value?: unknown;
  /** Why it is no JSON. */
  readonly problem?: string | undefined;
}

/**
 * A call to the simulated API, entered on receipt and filled in as it goes. Thousands of entries are kept, so an entry
 * is few objects: a settled one has its bodies as their texts, parsed anew for each reader.
 */
export class JournalEntry implements RequestRecord {
  operation: string | null = null;
  status: number | null = null;
  /** The status of an answer that was lost. */
  lostStatus: number | undefined;
  durationMs: number | null = null;
  /** The id of the fault rule that fired on it. */
  fault: string | undefined;
  warnings: readonly Warning[] = NONE;
  /** Whether the call has come in as a whole, its body included. */
  received = false;
  /** The token as the sandbox's own state has it; null when nobody owns it. */
  ownToken: string | null = null;
  readonly #started = monotonicNow();
  #settled = false;
  #body: unknown = null;
  /** Undefined where there is no body, or one that is no JSON. */
  #bodyText: string | undefined;
  #responseText: string | null = null;

  constructor(
    readonly id: string,
    readonly at: number,
    readonly by: CallMaker,
    readonly method: string,
    readonly path: string,
    readonly token: string | null,
    readonly rawQuery: string,
    readonly rawHeaders: readonly string[],
  ) {}

  /** The entry that a record of another process shows; `ownToken` as the sandbox's own state has it. */
  static from({ body, response, ...record }: RequestRecord, ownToken: string | null): JournalEntry {
    const { id, at, by, method, path, token, query, headers } = record;
    const rawQuery = new URLSearchParams(query).toString();
    const entry = new JournalEntry(id, at, by, method, path, token, rawQuery, Object.entries(headers).flat());
    const { operation, status, lostStatus, durationMs, fault, warnings } = record;
    Object.assign(entry, { operation, status, lostStatus, durationMs, fault, warnings, ownToken });
    entry.receive(body === null ? undefined : { text: JSON.stringify(body), value: body });
    entry.#responseText = response === null ? null : JSON.stringify(response);
    entry.settle();
    return entry;
  }

  get query(): Readonly<Record<string, string>> {
    return queryOf(this.rawQuery);
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    for (let at = 0; at < this.rawHeaders.length; at += 2) {
      const name = (this.rawHeaders[at] as string).toLowerCase();
      const value = this.rawHeaders[at + 1] as string;
      Object.defineProperty(headers, name, {
        value: Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value,
        enumerable: true,
        configurable: true,
      });
    }
    return headers;
  }

  /** The first value of a header, whose name is in lower case. */
  header(name: string): string | undefined {
    const at = this.rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
    return at < 0 ? undefined : this.rawHeaders[at + 1];
  }

  get body(): unknown {
    return this.#settled && this.#bodyText !== undefined ? JSON.parse(this.#bodyText) : this.#body;
  }

  get response(): unknown {
    return this.#responseText === null ? null : JSON.parse(this.#responseText);
  }

  /** Whether it was carried out: a success, also one whose answer was lost. */
  get succeeded(): boolean {
    return hasSucceeded(this);
  }

  /** Whether the call is not answered yet. */
  get open(): boolean {
    return this.durationMs === null;
  }

  /** Whether observers have been told of the call's end. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The body has come in as a whole: its value, or its text where it is no JSON. */
  receive(body: ParsedBody | undefined): void {
    this.received = true;
    if (body === undefined) return;
    const isJson = body.problem === undefined;
    this.#body = isJson ? body.value : body.text;
    if (isJson) this.#bodyText = body.text;
  }

  warn(warning: Warning): void {
    this.warnings = [...this.warnings, warning];
  }

  /** Closes the entry; both are null when the connection was closed without an answer, `response` else JSON. */
  close(status: number | null, response: string | null): void {
    this.status = status;
    this.#responseText = response;
    this.durationMs = elapsedSince(this.#started, 3);
  }

  /** What it keeps beside its own object, estimated in bytes. */
  get cost(): number {
    let bytes =
      estimateBytes(this.#bodyText) + estimateBytes(this.#responseText) + estimateBytes(this.rawQuery);
    if (this.#bodyText === undefined && typeof this.#body === "string") bytes += estimateBytes(this.#body);
    for (const { message } of this.warnings) bytes += estimateBytes(message);
    return bytes;
  }

  /** Nobody works with the call any more. */
  settle(): void {
    this.#settled = true;
    if (this.#bodyText !== undefined) this.#body = null;
  }

  toJSON(): RequestRecord {
    return Object.fromEntries(
      REQUEST_FIELDS.map((field) => [field, this[field]]),
    ) as unknown as RequestRecord;
  }
}

/** What happens in a sandbox, in lines for people. */

import { titleOf, valueText } from "../client/misses.js";
import type { StateChange, StreamEvent } from "../client/stream.js";
import type { DeliveryRecord, RequestRecord } from "../client/types.js";
import { isObject } from "../kernel/json.js";
import { printable } from "../kernel/printable.js";
import { isoOf } from "../kernel/realtime.js";
import type { Palette } from "../scenarios/reporters/pretty.js";

/** How many entries are remembered so that none is told twice. */
const MAX_TOLD = 10_000;

/** Puts the events of a sandbox into words, each outcome once. */
export class EventWords {
  readonly #palette: Palette;
  readonly #told = new Set<string>();

  constructor(palette: Palette) {
    this.#palette = palette;
  }

  /** The lines of an event; none where there is nothing new, or nothing yet. */
  lines(event: StreamEvent): string[] {
    switch (event.event) {
      case "request":
        return event.data.durationMs !== null && this.#isNew(event.data.id) ? this.#call(event.data) : [];
      case "delivery": {
        const { id, status, attempts } = event.data;
        const isTried = status !== "pending" || attempts.length > 0;
        return isTried && this.#isNew(`${id} ${status} ${attempts.length}`) ? this.#delivery(event.data) : [];
      }
      case "warning":
        return [this.#line("warning", "bad", `${event.data.code}: ${event.data.message}`)];
      case "state":
        return "all" in event.data
          ? [this.#line("state", "faint", "the whole state may have changed")]
          : event.data.changes.map((change) => this.change(change));
      case "clock":
        return [this.#line("clock", "faint", isoOf(event.data.now))];
      case "reset":
        this.#told.clear();
        return [this.#line("reset", "strong", "the sandbox begins anew")];
      case "faults":
        return event.data.changed ? [this.#line("faults", "faint", "the rules have changed")] : [];
      case "cleared":
        return [this.#line("cleared", "faint", `the log of ${event.data.log}`)];
      case "moved":
        return [this.#line("moved", "strong", "another process has the sandbox from now on")];
      case "hello":
      case "control":
      case "change":
      case "step":
      case "ran":
      case "sandboxes":
        return [];
    }
  }

  /** A changed record: each field that is another now. */
  change({ collection, id, before, after }: StateChange): string {
    const name = `${collection}/${id}`;
    if (before === null) return this.#line("state", "faint", `${name} is new: ${valueText(after)}`);
    if (after === null) return this.#line("state", "faint", `${name} is gone`);
    return this.#line("state", "faint", `${name} ${changedFields({ ...before }, { ...after })}`);
  }

  #call(request: RequestRecord): string[] {
    const { id, by, status, response } = request;
    const isRefused = status === null || status >= 400;
    const who = by === "client" ? "" : ` (by the ${by})`;
    const why = isRefused && status !== null ? `: ${reasonIn(response)}` : "";
    return [this.#line(id, isRefused ? "bad" : "good", `${titleOf(request)}${who}${why}`)];
  }

  #delivery(delivery: DeliveryRecord): string[] {
    const { id, status, reason, attempts } = delivery;
    const last = attempts.at(-1);
    const answer = last === undefined ? "" : ` (${last.error ?? last.status})`;
    const why = reason === null ? "" : `: ${reason}`;
    return [this.#line(id, status === "delivered" ? "good" : "bad", `${titleOf(delivery)}${answer}${why}`)];
  }

  #isNew(key: string): boolean {
    if (this.#told.has(key)) return false;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.add(key);
    return true;
  }

  #line(label: string, paint: keyof Palette, text: string): string {
    return `${this.#palette[paint](label.padEnd(7))}  ${printable(text)}`;
  }
}

/** Why a call was refused. */
function reasonIn(response: unknown): string {
  if (!isObject(response)) return valueText(response);
  const { error, developerMessage } = response;
  if (typeof error === "string") return error;
  return typeof developerMessage === "string" ? developerMessage : valueText(response);
}

function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name}: ${valueText(before[name])} → ${valueText(after[name])}`)
    .join(", ");
}

import { costOfText } from "../kernel/cost.js";

/** A call to the control API that changed something, as `GET /__sim/controls` shows it: what a recording is made of. */
export interface ControlRecord {
  /** `c1`, `c2`, …: what `causedBy` of a delivery names. */
  readonly id: string;
  /** The world's time of receipt, ms. */
  readonly at: number;
  readonly method: string;
  /** Below `/__sim`, without the sandbox and the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Null where there was none, and where it was too large to be kept. */
  readonly body: unknown;
  readonly status: number;
  /** Null where it only repeats what was sent or all that there is. */
  readonly response: unknown;
  /** The newest journal entry on receipt; null when there was none. */
  readonly after: string | null;
}

/** A record that keeps its bodies as texts, which cost far less than values. */
export class KeptControlRecord {
  readonly id: string;
  /** What its texts cost, estimated in bytes. */
  readonly cost: number;
  readonly #record: Omit<ControlRecord, "body" | "response">;
  readonly #body: string;
  readonly #response: string;

  constructor({ body, response, ...record }: ControlRecord) {
    this.id = record.id;
    this.#record = record;
    this.#body = JSON.stringify(body);
    this.#response = JSON.stringify(response);
    this.cost = costOfText(this.#body) + costOfText(this.#response) + costOfText(record.path);
  }

  toJSON(): ControlRecord {
    const { id, at, method, path, query, status, after } = this.#record;
    const body: unknown = JSON.parse(this.#body);
    return { id, at, method, path, query, body, status, response: JSON.parse(this.#response), after };
  }
}

import { given } from "../kernel/given.js";
import type { InferReadonly } from "../kernel/schema.js";
import { integer, nullable, object, oneOf, optional, record, string, unknown } from "../kernel/schema.js";
import { estimateBytes } from "../kernel/size.js";

const MAKERS = ["page", "scenario"] as const;
/** Who made a control call, where its header says so: the dashboard, or a scenario's steps. */
type ControlMaker = (typeof MAKERS)[number];

/** The maker that the value of a header names. */
export const controlMakerOf = (value: unknown): ControlMaker | undefined =>
  MAKERS.find((maker) => maker === value);

export const controlRecordSchema = object(
  {
    id: string({ examples: ["c1"] }),
    at: integer({ description: "the world's time of receipt, ms" }),
    by: optional(oneOf(MAKERS, { description: "left out: somebody else" })),
    method: string(),
    path: string({ description: "below /__sim, without the sandbox and the query" }),
    query: record(string()),
    body: unknown({ description: "null for none, and for one that was too large to be kept" }),
    status: integer(),
    response: unknown({ description: "null where it only repeats what was sent or all that there is" }),
    after: nullable(string({ description: "the newest journal entry on receipt" })),
  },
  { title: "control call" },
);
/** A call to the control API that changed something, as `GET /__sim/controls` shows it: what a recording is made of. */
export type ControlRecord = InferReadonly<typeof controlRecordSchema>;

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
    this.cost = estimateBytes(this.#body) + estimateBytes(this.#response) + estimateBytes(record.path);
  }

  toJSON(): ControlRecord {
    const { id, at, by, method, path, query, status, after } = this.#record;
    const body: unknown = JSON.parse(this.#body);
    const response: unknown = JSON.parse(this.#response);
    return { id, at, ...given({ by }), method, path, query, body, status, response, after };
  }
}

import { segment } from "./address.js";
import type { Query, Transport } from "./transport.js";
import type { CollectionName, RecordInput, Records } from "./types.js";

/** One page of a list, as json-server answers it. */
export interface Page<T> {
  readonly first: number;
  readonly prev: number | null;
  readonly next: number | null;
  readonly last: number;
  readonly pages: number;
  readonly items: number;
  readonly data: readonly T[];
}

/**
 * The live records of one collection. Writes are validated like a fixture; a refused one changes nothing.
 *
 * @example
 * const waiting = await sandbox.data("threads").list({ status: "waiting", _sort: "id" });
 * await sandbox.data("businesses").update("1001", { online: false });
 */
export class Collection<C extends CollectionName> {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, name: C) {
    this.#transport = transport;
    this.#path = `/data/${name}`;
  }

  /** The records that json-server's query language selects; all without a query. Null finds what has no value. */
  list(query: Query = {}): Promise<Records[C][]> {
    return this.#transport.call("GET", this.#path, { query: withNulls(query) });
  }

  /** One page of them; pages count from 1. */
  page(
    page: number,
    { perPage, ...query }: Query & { readonly perPage?: number } = {},
  ): Promise<Page<Records[C]>> {
    return this.#transport.call("GET", this.#path, {
      query: { ...withNulls(query), _page: page, _per_page: perPage },
    });
  }

  /** The first record that a query selects. */
  async find(query: Query): Promise<Records[C] | undefined> {
    return (await this.list(query))[0];
  }

  /** The record with an id. @throws SimError 404 when there is none */
  get(id: string): Promise<Records[C]> {
    return this.#transport.call("GET", this.#at(id));
  }

  /** Adds a record. @throws SimError 409 when its id is taken */
  create(record: RecordInput<C>): Promise<Records[C]> {
    return this.#transport.call("POST", this.#path, { body: record });
  }

  /** Changes some fields of a record. */
  update(id: string, fields: Partial<RecordInput<C>>): Promise<Records[C]> {
    return this.#transport.call("PATCH", this.#at(id), { body: fields });
  }

  /** Puts a record in place of another. */
  replace(id: string, record: RecordInput<C>): Promise<Records[C]> {
    return this.#transport.call("PUT", this.#at(id), { body: record });
  }

  /** Takes a record out, with the records of the `dependents` that name it. @throws SimError 409 while others name it */
  delete(
    id: string,
    { dependents = [] }: { readonly dependents?: readonly CollectionName[] } = {},
  ): Promise<Records[C]> {
    const query = dependents.length === 0 ? {} : { _dependent: dependents.join(",") };
    return this.#transport.call("DELETE", this.#at(id), { query });
  }

  #at(id: string): string {
    return `${this.#path}/${segment(id)}`;
  }
}

/** A query leaves out what is null: as a filter it is the word. */
const withNulls = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value === null ? "null" : value]));

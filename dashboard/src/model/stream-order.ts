import { BoundedMap } from "../lib/bounded-map";
import type { StreamEvent } from "./types";

const MAX_IDS = 20_000;

/** The order in which the stream first named messages, requests and deliveries, by their ids. */
export class StreamOrder {
  readonly #positions = new BoundedMap<number>(MAX_IDS);
  #last = 0;

  add({ event, data }: StreamEvent): void {
    if (event === "request" || event === "delivery") this.#add(data.id);
    if (event === "state" && "changes" in data)
      for (const { collection, id } of data.changes) if (collection === "messages") this.#add(id);
  }

  #add(id: string): void {
    if (this.#positions.has(id)) return;
    this.#last += 1;
    this.#positions.set(id, this.#last);
  }

  /** The position of an id in the order; 0 for what existed before the page was opened. */
  positionOf(id: string): number {
    return this.#positions.get(id) ?? 0;
  }

  clear(): void {
    this.#positions.clear();
  }
}

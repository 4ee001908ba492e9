/** The pages in which routes list the entries of a log. */
import { optional, string } from "../kernel/schema.js";
import type { Log, Logged } from "../sandbox/log.js";
import { unusable } from "./control-error.js";

/** The query of a list. */
export const PAGE = {
  since: optional(string({ description: "the id after which to start" })),
  limit: optional(
    string({
      pattern: "^[1-9]\\d{0,8}$",
      "x-form": "a positive number",
      description: "at most this many: the first ones after `since`, without it the newest",
    }),
  ),
};

interface Page {
  readonly since?: string;
  readonly limit?: string;
}

/** The entries of a page, oldest first. Whoever reads them slowly keeps none of them: evicted ones are left out. */
export function pageOf<E extends Logged>(
  log: Log<E>,
  { since, limit }: Page,
  fits: (entry: E) => boolean = () => true,
): Iterable<E> {
  const most = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const positions: number[] = [];
  for (const entry of log.from(positionAfter(log, since))) {
    if (!fits(entry)) continue;
    positions.push(log.positionOf(entry.id));
    if (since !== undefined && positions.length === most) break;
  }
  return log.held(since === undefined && positions.length > most ? positions.slice(-most) : positions);
}

/** The position after the entry with an id; without one the beginning. `path` is where the caller wrote the id. */
export function positionAfter<E extends Logged>(log: Log<E>, id: string | undefined, path = "since"): number {
  if (id === undefined) return 0;
  const position = log.positionOf(id);
  if (position < log.mark) return position + 1;
  throw unusable([{ path, message: `must be the id of an entry, but is "${id}"` }]);
}

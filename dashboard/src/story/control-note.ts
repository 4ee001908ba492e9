import { durationText } from "../../../src/kernel/durations.js";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { numberOf, omitUndefined } from "../../../src/kernel/objects.js";
import { isoTime, previewValue } from "../lib/format";
import { ruleName, ruleScope } from "../model/fault-descriptions";
import type { ControlRecord, FaultRule } from "../model/types";
import { PAGE_SNAPSHOT } from "../model/undo";

/** What a conversation tells of a control call: the page keeps thousands of them, so neither body nor answer. */
export interface ControlNote {
  readonly id: string;
  readonly at: number;
  /** Where it stands among the calls of the simulated API and the other control calls. */
  readonly rank: number;
  readonly by?: ControlRecord["by"];
  /** The thread that it is about; left out: all. */
  readonly threadId?: string;
  /** The message that it wrote. */
  readonly messageId?: string;
  /** What happened; left out where the page shows it otherwise. */
  readonly text?: string;
  /** Which changes of the thread tell the same, where the page knows of them. */
  readonly tellsChange?: true;
}

/** So many control calls have room between two calls of the simulated API. */
const CONTROLS = 2 ** 22;

/** Where a call of the simulated API stands. */
export const requestRank = (id: string): number => numberOf(id);

type Fields = Readonly<Record<string, unknown>>;
type Describe = (body: Fields, response: Fields, part: string) => string | undefined;

/** The control calls that a conversation tells of, by method and path; `*` is the part that `describe` gets. */
const DESCRIPTIONS: readonly (readonly [call: RegExp, describe: Describe])[] = [
  [
    /^POST \/clock\/advance$/,
    ({ by }) => `clock advanced by ${typeof by === "number" ? durationText(by) : by}`,
  ],
  [/^PUT \/clock$/, (body) => clockText(body)],
  [/^POST \/faults$/, (_, rule) => `fault ${rule.id} armed: ${faultText(rule as unknown as FaultRule)}`],
  [/^DELETE \/faults$/, () => "all faults disarmed"],
  [/^DELETE \/faults\/([^/]+)$/, (_body, _response, id) => `fault ${id} disarmed`],
  [/^PATCH \/behaviour$/, (body) => `behaviour changed: ${names(body)}`],
  [/^PUT \/state$/, () => "state replaced"],
  [/^POST \/snapshots\/([^/]+)\/restore$/, (_body, _response, name) => restoreText(name)],
  [/^POST \/connect$/, ({ url }) => `webhooks connected to ${maskedAddress(String(url))}`],
  [/^POST \/events$/, ({ eventType }) => `${eventType} event emitted as given`],
  [/^POST \/deliveries\/([^/]+)\/replay$/, (_body, _response, id) => `delivery ${id} replayed`],
  [/^POST \/data\/webhooks$/, ({ hookId }) => `webhook ${hookId ?? ""} added`],
  [/^(?:PUT|PATCH) \/data\/webhooks\/([^/]+)$/, (body, _, id) => `webhook ${id} changed: ${names(body)}`],
  [/^DELETE \/data\/webhooks\/([^/]+)$/, (_body, _response, id) => `webhook ${id} removed`],
];

/** The same for calls about one thread. */
const OF_THREAD: readonly (readonly [call: RegExp, describe: Describe])[] = [
  [/^POST \/threads\/([^/]+)\/window$/, ({ open }) => `window ${open === true ? "opened" : "closed"}`],
  [/^POST \/threads\/([^/]+)\/transfer$/, ({ businessId }) => `transferred to business ${businessId}`],
  [/^(?:PUT|PATCH) \/data\/threads\/([^/]+)$/, (body) => `thread changed: ${pairs(body)}`],
  [/^POST \/threads\/([^/]+)\/(?:inbound|employee-message)$/, () => undefined],
];

/** How many characters of a text stand in a conversation at most. */
const MAX_TEXT = 160;
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** The note of a control call. */
export function controlNote({ id, at, by, method, path, body, response, after }: ControlRecord): ControlNote {
  const rank = (after === null ? 0 : requestRank(after)) + numberOf(id) / CONTROLS;
  const found = (table: typeof DESCRIPTIONS) => {
    for (const [call, describe] of table) {
      const match = call.exec(`${method} ${path}`);
      if (match === null) continue;
      const part = decodeURIComponent(match[1] ?? "");
      return { part, text: describe(fieldsOf(body), fieldsOf(response), part) };
    }
    return undefined;
  };
  const ofThread = found(OF_THREAD);
  const text = (ofThread ?? found(DESCRIPTIONS))?.text;
  const messageId = /\/(inbound|employee-message)$/.test(path) ? fieldsOf(response).id : undefined;
  return {
    id,
    at,
    rank,
    ...omitUndefined({
      by,
      threadId: ofThread?.part,
      messageId: messageId === undefined ? undefined : String(messageId),
      text: text === undefined ? undefined : cut(text),
      tellsChange: ofThread === undefined || text === undefined ? undefined : (true as const),
    }),
  };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** What a call sets whose values may hold secrets. */
const names = (body: Fields): string => Object.keys(body).join(", ");

const pairs = (body: Fields): string =>
  Object.entries(body)
    .map(([name, value]) => `${name} ${previewValue(value)}`)
    .join(", ");

function clockText({ now, frozen }: Fields): string {
  const parts: string[] = [];
  if (now !== undefined) parts.push(`clock set to ${typeof now === "number" ? isoTime(now) : now}`);
  if (frozen !== undefined) parts.push(frozen === true ? "clock frozen" : "clock resumed");
  return parts.join(", ");
}

/** Undo and Redo restore the snapshots that the page took. */
function restoreText(name: string): string {
  const [, direction, what] = PAGE_SNAPSHOT.exec(name) ?? [];
  if (what === undefined) return `snapshot ${name} restored`;
  return `${what} ${direction === "undo" ? "undone" : "redone"}`;
}

const faultText = (rule: FaultRule): string =>
  rule.then === undefined ? "" : `${ruleName(rule)} on ${ruleScope(rule)}`;

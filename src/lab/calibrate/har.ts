/** Reads HAR 1.2 files of any recorder within limits, and finds the calls of this API and its deliveries among their entries. */

import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { GRAPHQL_NAMES } from "../../api/operations/graphql.js";
import { OPERATIONS } from "../../api/operations/index.js";
import { hasCode, reasonOf } from "../../kernel/errors.js";
import { parseJson } from "../../kernel/http/body.js";
import { routeTable } from "../../kernel/http/endpoint.js";
import { splitTarget } from "../../kernel/http/target.js";
import { isObject, sizeFault, valueAt } from "../../kernel/json.js";
import { UnusableDocument } from "../../kernel/problems.js";
import { instantOf, isInRange } from "../../kernel/realtime.js";
import type { Exchange, Message, Trace } from "./trace.js";
import { payloadKindOf } from "./trace.js";

/** The maximum number of API keys: each one becomes a user with all businesses. */
const HAR_LIMITS = { bytes: 64 * 1024 * 1024, entries: 20_000, keys: 500 } as const;

const refuse = (file: string, path: string, message: string): never => {
  throw new UnusableDocument([{ file, path, message }]);
};

const MAX_DEPTH = 64;
const MAX_VALUES = 10_000_000;

const ROUTES = routeTable(OPERATIONS);

/** All exchanges of this API in the files, in order of their start. @throws UnusableDocument */
export async function readTrace(files: readonly string[]): Promise<Trace> {
  const exchanges: Exchange[] = [];
  for (const file of files) exchanges.push(...exchangesIn(await entriesOf(file), file));
  const keys = new Set(exchanges.map(({ message }) => message.headers.token)).size;
  const problem =
    exchanges.length === 0
      ? "contains no call or delivery of this API"
      : keys > HAR_LIMITS.keys && `has calls with more than ${HAR_LIMITS.keys} API keys: split the recording`;
  if (problem) refuse(files.join(", "), "log.entries", problem);
  return exchanges.sort((a, b) => a.at - b.at);
}

async function entriesOf(file: string): Promise<readonly unknown[]> {
  const { size } = await stat(file).catch((error: unknown) =>
    refuse(file, "", hasCode(error, "ENOENT") ? "does not exist" : `cannot be read: ${reasonOf(error)}`),
  );
  if (size > HAR_LIMITS.bytes) refuse(file, "", `is larger than 64 MiB (${size} bytes): split the recording`);
  const bytes = await readFile(file).catch((error: unknown) =>
    refuse(file, "", `cannot be read: ${reasonOf(error)}`),
  );
  if (sizeFault(bytes.toString(), { levels: MAX_DEPTH }) !== undefined)
    refuse(file, "log.entries", `is nested deeper than ${MAX_DEPTH} levels`);
  const { value, problem } = parseJson(bytes, { values: MAX_VALUES }) as {
    value?: unknown;
    problem?: string;
  };
  if (problem !== undefined) refuse(file, "", `is not a HAR file: ${problem}`);
  const entries = valueAt(value, ["log", "entries"]);
  if (!Array.isArray(entries))
    return refuse(file, "log.entries", "is not a HAR file: log.entries must be an array");
  if (entries.length > HAR_LIMITS.entries)
    refuse(file, "log.entries", "has more than 20,000 entries: split the recording");
  return entries;
}

interface Located {
  readonly index: number;
  readonly entry: Record<string, unknown>;
  readonly url: URL;
}

/** The exchanges of this API among the entries of one file, with their positions in it. */
export function exchangesIn(entries: readonly unknown[], file: string): Exchange[] {
  const located = entries.flatMap((entry, index): Located[] => {
    const request = isObject(entry) ? entry.request : undefined;
    if (!isObject(entry) || !isObject(request) || typeof request.url !== "string") return [];
    return URL.canParse(request.url) ? [{ index, entry, url: new URL(request.url) }] : [];
  });
  // Any API may use the path of GraphQL, so the operation name decides.
  const bases = new Set(
    located.flatMap(({ url, entry }) => (isOtherGraphql(url, entry) ? [] : (baseOf(url) ?? []))),
  );
  return located.flatMap(({ index, entry, url }): Exchange[] => {
    const message = messageOf(entry);
    if (message === undefined) return [];
    const kind = payloadKindOf(message.request.value);
    const of: Omit<Exchange, "kind"> = {
      file: basename(file),
      index,
      at: beginningOf(entry),
      message,
      operation: undefined,
      path: url.pathname,
      url: url.href,
      query: url.search.slice(1),
      params: {},
    };
    if (entry._direction === "delivery" || (entry._direction !== "call" && kind !== undefined))
      return kind === undefined ? [] : [{ ...of, kind }];
    const base = baseOf(url) ?? [...bases].find((one) => url.href.startsWith(`${one}/`));
    if (base === undefined || !bases.has(base) || message.method === "OPTIONS") return [];
    const { path } = splitTarget(url.href.slice(base.length).split("#")[0] ?? "/");
    const hit = ROUTES.find(message.method, path);
    const route = hit !== undefined && "route" in hit ? hit : undefined;
    const { id: operation } = route?.route ?? {};
    return [{ ...of, kind: "call", operation, path, params: route?.params ?? {} }];
  });
}

const isOtherGraphql = ({ pathname }: URL, { request }: Record<string, unknown>): boolean => {
  const { value } = contentOf((request as Record<string, unknown>).postData);
  return (
    /\/graphql\/?$/.test(pathname) && !GRAPHQL_NAMES.some((name) => isObject(value) && value.query === name)
  );
};

/** Host and prefix before the documented path, if a URL ends with one. */
function baseOf({ origin, pathname }: URL): string | undefined {
  const at = /\/(?:api\/|graphql\/?$)/.exec(pathname)?.index;
  if (at === undefined) return undefined;
  const path = pathname.slice(at);
  return ROUTES.find("GET", path) === undefined ? undefined : origin + pathname.slice(0, at);
}

function beginningOf({ startedDateTime }: Record<string, unknown>): number {
  const at = typeof startedDateTime === "string" ? instantOf(startedDateTime) : 0;
  return isInRange(at) ? at : 0;
}

/** Request and response of an entry; undefined if it has no response. */
function messageOf({ request, response, time }: Record<string, unknown>): Message | undefined {
  // `_error`: the response is not the service's, or incomplete.
  if (!isObject(request) || !isObject(response) || typeof response._error === "string") return undefined;
  const { status } = response;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 100 || status > 599)
    return undefined;
  return {
    method: typeof request.method === "string" ? request.method.toUpperCase() : "GET",
    headers: headersOf(request.headers),
    request: requestOf(request),
    status,
    responseHeaders: headersOf(response.headers),
    response: responseOf(response, status),
    durationMs: typeof time === "number" && time >= 0 ? time : 0,
  };
}

function headersOf(list: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(list)) return {};
  const pairs = list.flatMap((header: unknown) =>
    isObject(header) && typeof header.name === "string" && typeof header.value === "string"
      ? [[header.name.toLowerCase(), header.value] as const]
      : [],
  );
  return Object.fromEntries(pairs.filter(([name]) => !name.startsWith("x-sim-") && !name.startsWith(":")));
}

const NONE = { bytes: 0, value: undefined };
const LOST = { ...NONE, isLost: true } as const;

/** `bodySize` counts what was sent, before a recorder replaced secrets; but if it was compressed, the limit is on what was read. */
function requestOf({ method, postData, bodySize, headers }: Record<string, unknown>): Message["request"] {
  const content = contentOf(postData);
  const size = typeof bodySize === "number" && bodySize > 0 ? bodySize : 0;
  const isLost = (size > 0 && method !== "GET") || (isObject(postData) && typeof postData.text !== "string");
  if (content.bytes === 0) return isLost ? LOST : NONE;
  return size === 0 || headersOf(headers)["content-encoding"] !== undefined
    ? content
    : { ...content, bytes: size };
}

/** An answer without text had a body, unless its size or status says otherwise: recorders leave out what is large or was not kept. */
function responseOf({ content }: Record<string, unknown>, status: number): Message["response"] {
  const read = contentOf(content);
  const isEmpty =
    isObject(content) && (content.size === 0 || (content.text === "" && !(Number(content.size) > 0)));
  return read.bytes > 0 || isEmpty || status === 204 || status === 304 ? read : LOST;
}

/** The body of either message: `text`, which may be base64. A binary body has no value. */
function contentOf(content: unknown): Message["request"] {
  if (!isObject(content) || typeof content.text !== "string" || content.text === "") return NONE;
  const bytes = Buffer.from(content.text, content.encoding === "base64" ? "base64" : "utf8");
  const parsed = parseJson(bytes);
  const { text, problem } = parsed;
  return problem === undefined
    ? { bytes: bytes.length, value: parsed.value, text }
    : { bytes: bytes.length, value: undefined, text, problem };
}

/** Reads HAR 1.2 files of any recorder within limits, and finds the calls of this API and its deliveries among their entries. */

import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { GRAPHQL_NAMES } from "../../api/operations/graphql.js";
import { OPERATIONS } from "../../api/operations/index.js";
import { hasCode, reasonOf } from "../../kernel/errors.js";
import { parseJson } from "../../kernel/http/body.js";
import { routeTable } from "../../kernel/http/endpoint.js";
import { splitTarget } from "../../kernel/http/target.js";
import { isObject } from "../../kernel/json.js";
import { UnusableDocument } from "../../kernel/problems.js";
import { instantOf, isInRange } from "../../kernel/realtime.js";
import { payloadKindOf } from "./deliveries.js";
import type { Exchange, Message, Trace } from "./trace.js";

/** The maximum number of API keys: each one becomes a user with all businesses. */
const HAR_LIMITS = { bytes: 64 * 1024 * 1024, entries: 20_000, keys: 500 } as const;

const refuse = (file: string, path: string, message: string): never => {
  throw new UnusableDocument([{ file, path, message }]);
};

const ROUTES = routeTable(OPERATIONS);

/** All exchanges of this API in the files, in order of their start. @throws UnusableDocument */
export async function readTrace(files: readonly string[]): Promise<Trace> {
  const exchanges: Exchange[] = [];
  for (const file of files) exchanges.push(...exchangesIn(await entriesOf(file), file));
  if (exchanges.length === 0)
    refuse(
      files.join(", "),
      "log.entries",
      "nothing here is of this API: no call of one of its operations and none of its deliveries",
    );
  if (new Set(exchanges.map(({ message }) => message.headers.token)).size > HAR_LIMITS.keys)
    refuse(
      files.join(", "),
      "log.entries",
      `has calls with more than ${HAR_LIMITS.keys} API keys: split the recording`,
    );
  return exchanges.sort((a, b) => a.at - b.at);
}

async function entriesOf(file: string): Promise<readonly unknown[]> {
  let text: Buffer;
  try {
    const { size } = await stat(file);
    if (size > HAR_LIMITS.bytes)
      refuse(file, "", `is larger than 64 MiB (${size} bytes): split the recording`);
    text = await readFile(file);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    return refuse(
      file,
      "",
      hasCode(error, "ENOENT") ? "does not exist" : `cannot be read: ${reasonOf(error)}`,
    );
  }
  const fault = harFault(text);
  if (fault !== undefined) refuse(file, "log.entries", fault);
  const { value, problem } = parseJson(text) as { value?: unknown; problem?: string };
  if (problem !== undefined) refuse(file, "", `is no HAR file: ${problem}`);
  const log = isObject(value) ? value.log : undefined;
  const entries = isObject(log) ? log.entries : undefined;
  if (!Array.isArray(entries))
    return refuse(file, "log.entries", "is no HAR file: log.entries must be an array");
  return entries;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d] as const;
const MAX_DEPTH = 64;
/** The maximum number of objects and arrays in one file. */
const MAX_PARTS = 2_000_000;

/** Why a text is refused before it is parsed: too many entries, levels or parts. */
function harFault(text: Buffer): string | undefined {
  let [depth, entries, parts] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      for (at += 1; at < text.length && text[at] !== QUOTE; at += 1) if (text[at] === BACKSLASH) at += 1;
    } else if (byte === OPEN || byte === OPEN_LIST) {
      // `{ log: { entries: [ {`: an entry opens on the third level.
      if (depth === 3 && byte === OPEN) entries += 1;
      depth += 1;
      parts += 1;
      if (entries > HAR_LIMITS.entries) return "has more than 20,000 entries: split the recording";
      if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
      if (parts > MAX_PARTS) return "has more than 2,000,000 objects and arrays: split the recording";
    } else if (byte === CLOSE || byte === CLOSE_LIST) depth -= 1;
  }
  return undefined;
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
    const common = { file: basename(file), index, at: beginningOf(entry), message };
    const kind = payloadKindOf(message.request.value);
    const isDelivery = entry._direction === "delivery" || (entry._direction !== "call" && kind !== undefined);
    if (isDelivery)
      return kind === undefined
        ? []
        : [
            {
              ...common,
              kind,
              operation: undefined,
              path: url.pathname,
              url: url.href,
              query: "",
              params: {},
            },
          ];
    const base = baseOf(url) ?? [...bases].find((one) => url.href.startsWith(`${one}/`));
    if (base === undefined || !bases.has(base) || message.method === "OPTIONS") return [];
    const { path } = splitTarget(url.href.slice(base.length).split("#")[0] ?? "/");
    const hit = ROUTES.find(message.method, path);
    const route = hit !== undefined && "route" in hit ? hit : undefined;
    return [
      {
        ...common,
        kind: "call",
        operation: route?.route.id,
        path,
        url: "",
        query: url.search.slice(1),
        params: route?.params ?? {},
      },
    ];
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

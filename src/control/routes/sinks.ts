import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody, readBody, sendJson, splitTarget } from "../../http/exchange.js";
import { parseJson } from "../../http/json.js";
import { later } from "../../kernel/realtime.js";
import {
  array,
  integer,
  object,
  optional,
  record,
  string,
  unknown,
  withDefault,
} from "../../kernel/schema.js";
import type { Run } from "../../sandbox/run.js";
import type { Received, SinkSettings } from "../../sandbox/sinks.js";
import { EPOCH_PARAMETER } from "../../sandbox/sinks.js";
import { ControlError, unusable } from "../errors.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DELAY_MS = 600_000;

const settingsFields = {
  status: withDefault(integer({ minimum: 200, maximum: 599 }), 200),
  delayMs: withDefault(
    integer({ minimum: 0, maximum: MAX_DELAY_MS, description: "real time before the answer" }),
    0,
  ),
  body: optional(unknown({ description: "the JSON body of the answer; null for none" })),
};

const receivedSchema = object({
  id: string({ examples: ["k1"] }),
  at: integer({ description: "the world's time of receipt, ms" }),
  method: string(),
  path: string(),
  headers: record(string()),
  body: unknown({ description: "the parsed JSON, else the text; null when there was none" }),
});

/** The parsed body; an empty one is null. Undefined when it is too large. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request)) return null;
  const bytes = await new Promise<Buffer | undefined>((resolve) =>
    readBody(request, MAX_BODY_BYTES, resolve),
  );
  if (bytes === undefined) return undefined;
  if (bytes.length === 0) return null;
  const parsed = parseJson(bytes);
  return parsed.problem === undefined ? parsed.value : parsed.text;
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );

function answer(response: ServerResponse, { status, delayMs, body }: SinkSettings): void {
  const send = () => {
    if (body !== null) return sendJson(response, status, body);
    if (!response.destroyed) response.writeHead(status, ["Content-Length", "0"]).end();
  };
  if (delayMs === 0) send();
  else later(delayMs, send, { background: true });
}

/** Whether a call is a delivery that a reset, or the end of an earlier sandbox of that name, has aborted on its way. */
function isAborted(query: string, { epoch }: Run): boolean {
  const given = new URLSearchParams(query).get(EPOCH_PARAMETER);
  return given !== null && given !== String(epoch);
}

/** What came after the call with the id `since`. */
function after(calls: readonly Received[], since: string | undefined): readonly Received[] {
  if (since === undefined) return calls;
  const number = Number(/^k(\d+)$/.exec(since)?.[1]);
  if (Number.isNaN(number))
    throw unusable([{ path: "since", message: `must be the id of a call, but is "${since}"` }]);
  return calls.filter(({ id }) => Number(id.slice(1)) > number);
}

export const SINKS_ROUTES: readonly ControlRoute[] = [
  route({
    id: "sink",
    method: "ANY",
    path: "/sinks/:name",
    scope: "sandbox",
    summary: "A webhook receiver: records what it is sent and answers as it was set",
    open: true,
    raw: true,
    success: { status: 200, schema: unknown() },
    refusals: {
      410: "A delivery that a reset has aborted on its way",
      413: "The body is larger than 1 MiB",
    },
    handle: async ({ run, params: { name }, request, response }) => {
      const at = run.clock.now();
      const body = await bodyOf(request);
      if (body === undefined)
        throw new ControlError(413, "too-large", `a sink takes ${MAX_BODY_BYTES} bytes`);
      const { method = "", url = "" } = request;
      const { path, query } = splitTarget(url);
      if (isAborted(query, run)) throw new ControlError(410, "abandoned", "a reset came in between");
      run.sinks.receive(name, { at, method, path, headers: headersOf(request), body });
      answer(response, run.sinks.get(name));
    },
  }),
  route({
    id: "setSink",
    method: "PUT",
    path: "/sinks/:name",
    scope: "sandbox",
    summary: "Decide how a sink answers; what is left out is as on a fresh one",
    body: object(settingsFields),
    bodyOptional: true,
    success: { status: 200, schema: object(settingsFields) },
    handle: ({ run, params, body }) => ({ body: run.sinks.set(params.name, body) }),
  }),
  route({
    id: "sinkReceived",
    method: "GET",
    path: "/sinks/:name/received",
    scope: "sandbox",
    summary: "What a sink was sent, oldest first",
    query: object({ since: optional(string({ description: "the id after which to start" })) }),
    success: { status: 200, schema: array(receivedSchema) },
    handle: ({ run, params, query }) => ({
      body: after(run.sinks.received(params.name), query.since),
    }),
  }),
];

import type { IncomingMessage } from "node:http";
import { BOUNDS } from "../../kernel/bounds.js";
import type { RequestBody } from "../../kernel/http/body.js";
import { readBody } from "../../kernel/http/body.js";
import { splitTarget } from "../../kernel/http/target.js";
import { sleep } from "../../kernel/realtime.js";
import { array, object, optional, unknown, withDefault } from "../../kernel/schema.js";
import { secretHeadersOf } from "../../sandbox/deliveries.js";
import type { Run } from "../../sandbox/run.js";
import { EPOCH_PARAMETER, receivedSchema, SINK_SETTINGS, sinkSettingsSchema } from "../../sandbox/sinks.js";
import { ControlError } from "../errors.js";
import { PAGE, pageOf } from "../inputs.js";
import { route } from "../route.js";

const MAX_BODY_BYTES = BOUNDS.sinkBodyBytes.limit;

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]));

/** The headers of a call, in lower case, that come from the `extraHeaders` of the sandbox's webhooks. */
function extraHeadersAmong(headers: Readonly<Record<string, string>>, run: Run): string[] {
  const brought = [...run.world.all("webhooks")].flatMap(({ extraHeaders }) => extraHeaders);
  return secretHeadersOf(run, brought).filter(
    // A delivery to a sink has no `Host` of the webhook.
    (name) => name !== "host" && Object.hasOwn(headers, name),
  );
}

/** Whether a call is a delivery that was aborted by a reset, or by the end of an earlier sandbox of that name. */
function isAborted(query: string, { epoch }: Run): boolean {
  const epochText = new URLSearchParams(query).get(EPOCH_PARAMETER);
  return epochText !== null && epochText !== String(epoch);
}

export const SINKS_ROUTES = [
  route("sink", "ANY /sinks/:name", {
    summary: "Receive a webhook call: records it and responds as configured",
    open: "programs",
    takesAnything: true,
    success: {
      status: 200,
      schema: unknown(),
      contentType: null,
      description: "The configured JSON body, or none, if no other status is configured",
    },
    others: [{ status: "default", description: "The configured status and JSON body", contentType: null }],
    recorded: false,
    handle: async ({ run, params: { name }, request, response }) => {
      const at = run.clock.now();
      const bounds = { limit: MAX_BODY_BYTES, response };
      const read = await new Promise<RequestBody>((resolve) => readBody(request, bounds, resolve));
      if (read === "too large") throw new ControlError("sinks.tooLarge", { limit: MAX_BODY_BYTES });
      const received = read === "none" ? null : read.problem === undefined ? read.value : read.text;
      const { method = "", url = "" } = request;
      const { path, query } = splitTarget(url);
      if (isAborted(query, run)) throw new ControlError("sandboxes.ended");
      const headers = headersOf(request);
      const secretHeaders = extraHeadersAmong(headers, run);
      run.sinks.receive(name, { at, method, path, headers, secretHeaders, body: received });
      const { status, delayMs, body } = run.sinks.get(name);
      if (delayMs > 0) await sleep(delayMs, run.signal).catch(() => {});
      return body === null ? { status, empty: true } : { status, body };
    },
  }),
  route("setSink", "PUT /sinks/:name", {
    summary: "Configure how a sink responds; omitted fields get their defaults",
    body: object({
      status: withDefault(SINK_SETTINGS.status, 200),
      delayMs: withDefault(SINK_SETTINGS.delayMs, 0),
      body: optional(SINK_SETTINGS.body),
    }),
    bodyOptional: true,
    success: { status: 200, schema: sinkSettingsSchema },
    handle: ({ run, params, body }) => ({ body: run.sinks.set(params.name, body) }),
  }),
  route("sinkReceived", "GET /sinks/:name/received", {
    summary: "List the calls that a sink received, oldest first",
    query: object(PAGE),
    success: { status: 200, schema: array(receivedSchema) },
    handle: ({ run, params, query }) => ({ body: pageOf(run.sinks.received(params.name), query) }),
  }),
];

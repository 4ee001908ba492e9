import type { IncomingMessage, ServerResponse } from "node:http";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { hasBody, readBody, sendJson, sendText, splitTarget } from "../http/exchange.js";
import { parseJson } from "../http/json.js";
import { createAjv } from "../kernel/ajv.js";
import type { RouteHit } from "../kernel/routes.js";
import { RouteTable } from "../kernel/routes.js";
import type { Schema } from "../kernel/schema.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Access } from "./access.js";
import { ControlError, controlErrorOf, notFound, unusable } from "./errors.js";
import { isRecorded, receiptOf, record } from "./recording.js";
import type { ControlCall, ControlReply, ControlRoute } from "./route.js";
import { ROUTES } from "./routes/index.js";
import type { ControlServices } from "./services.js";

/** Everything of the simulator's own lives below this. */
export const CONTROL_PREFIX = "/__sim";
/** A whole state goes through `PUT /state`; more than this is a mistake. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

interface Body {
  readonly value?: unknown;
  /** How long its text was. */
  readonly bytes?: number;
}
const NONE: Body = {};

/** The control API on the wire (contract section 5). */
export class ControlApp {
  readonly #routes = new RouteTable<ControlRoute>();
  readonly #services: ControlServices;
  readonly #access: Access;
  readonly #report: (error: unknown) => void;
  #ajv: Ajv2020 | undefined;
  readonly #validators = new WeakMap<Schema, ValidateFunction>();

  constructor(services: ControlServices, access: Access, report: (error: unknown) => void) {
    this.#services = services;
    this.#access = access;
    this.#report = report;
    for (const route of ROUTES) {
      this.#routes.add(route.method, route.path, route);
      if (route.scope === "sandbox")
        this.#routes.add(route.method, `/sandboxes/:sandbox${route.path}`, route);
    }
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#answer(request, response).catch((error: unknown) => {
      const known = controlErrorOf(error);
      if (known instanceof ControlError) return sendJson(response, known.status, known, known.headers);
      this.#report(error);
      sendJson(response, 500, new ControlError(500, "internal", "The simulator failed: this is a bug in it"));
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = splitTarget(request.url as string);
    const hit = this.#routes.find(request.method as string, path.slice(CONTROL_PREFIX.length));
    const { route, params } = this.#found(hit, request, path);
    if (route.open === true) this.#access.checkOrigin(request);
    else this.#access.check(request);
    const sandbox = this.#sandboxOf(route, params);
    const asked = route.query && this.#check(route.query, Object.fromEntries(new URLSearchParams(query)));
    const { value: body, bytes = 0 } = route.body ? await this.#bodyOf(route, route.body, request) : NONE;
    const { run } = sandbox;
    const call: ControlCall = {
      params,
      query: asked,
      body,
      sandbox,
      run,
      services: this.#services,
      cause: () => ({ id: run.controls.nextId() }),
      request,
      response,
    };
    const receipt = receiptOf(run);
    const handled = route.handle(call as never);
    // What is caused carries the id of the record: nothing may come between a handler's turn and its record.
    const reply = handled instanceof Promise ? await handled : handled;
    if (isRecorded(route)) record(run, receipt, { route, path, query, body, bytes }, reply);
    if (reply !== undefined) this.#send(response, route, reply);
  }

  #found(
    hit: ReturnType<RouteTable<ControlRoute>["find"]>,
    request: IncomingMessage,
    path: string,
  ): RouteHit<ControlRoute> {
    if (hit !== undefined && "route" in hit) return hit;
    this.#access.check(request);
    if (hit === undefined)
      throw new ControlError(404, "unknown-route", `${path} is no route of the control API`);
    throw new ControlError(
      405,
      "wrong-method",
      `${request.method} is not a method of ${path}: use ${hit.allowed.join(", ")}`,
    );
  }

  #sandboxOf(route: ControlRoute, params: Readonly<Record<string, string>>): Sandbox {
    const { registry } = this.#services;
    if (route.scope === "server" || params.sandbox === undefined) return registry.default;
    const sandbox = registry.get(params.sandbox);
    if (sandbox === undefined) throw notFound("sandbox", params.sandbox);
    return sandbox;
  }

  async #bodyOf(route: ControlRoute, schema: Schema, request: IncomingMessage): Promise<Body> {
    const bytes = hasBody(request)
      ? await new Promise<Buffer | undefined>((resolve) => readBody(request, MAX_BODY_BYTES, resolve))
      : Buffer.alloc(0);
    if (bytes === undefined)
      throw new ControlError(413, "too-large", `a body may have ${MAX_BODY_BYTES} bytes`);
    if (bytes.length === 0) {
      if (route.bodyOptional === true) return { value: this.#check(schema, {}) };
      throw unusable([{ path: "", message: "needs a JSON body" }]);
    }
    const parsed = parseJson(bytes);
    if (parsed.problem !== undefined) throw unusable([{ path: "", message: `the body ${parsed.problem}` }]);
    return { value: this.#check(schema, parsed.value), bytes: bytes.length };
  }

  #check(schema: Schema, value: unknown): unknown {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      this.#ajv ??= createAjv({ defaults: true });
      validate = this.#ajv.compile(schema);
      this.#validators.set(schema, validate);
    }
    if (!validate(value)) throw unusable(schemaProblems(validate.errors ?? [], value));
    return value;
  }

  #send(response: ServerResponse, route: ControlRoute, reply: ControlReply): void {
    const status = reply.status ?? route.success.status;
    const { contentType } = route.success;
    if (contentType === undefined || typeof reply.body !== "string")
      return sendJson(response, status, reply.body);
    sendText(response, status, contentType, reply.body);
  }
}

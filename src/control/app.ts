import type { IncomingMessage, ServerResponse } from "node:http";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { BOUNDS } from "../kernel/bounds.js";
import type { HttpAnswer } from "../kernel/http/answer.js";
import { JSON_TYPE, sendAnswer, sendJson } from "../kernel/http/answer.js";
import { encodingOf, hasBody, isDecoded, parseJson, readDecoded } from "../kernel/http/body.js";
import { routeTable } from "../kernel/http/endpoint.js";
import { queryOf, splitTarget } from "../kernel/http/target.js";
import { isObject, MAX_DEPTH, sizeProblem } from "../kernel/json.js";
import { MASK, masked } from "../kernel/masking.js";
import { CONTROL_PREFIX, DEFAULT_SANDBOX } from "../kernel/names.js";
import type { Schema } from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { preview } from "../kernel/words.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Access } from "./access.js";
import { ControlError, controlErrorOf, unusable } from "./errors.js";
import { refuseMasks, sandboxWithId, withNames } from "./inputs.js";
import type { ControlCall, ControlRoute } from "./route.js";
import { beginRecord, pathsOf } from "./route.js";
import { ROUTES } from "./routes/index.js";
import type { ControlServices } from "./services.js";

const { controlBytes, worldBytes, worldValues, controlKeys, controlDepth } = BOUNDS;
const NO_BYTES = Buffer.alloc(0);

const unusableBody = (problem: string, syntax?: string): ControlError =>
  unusable([{ path: "", message: `the body ${problem}${syntax === undefined ? "" : `: ${syntax}`}` }]);

/** @throws ControlError for a body that is too large or has an unknown encoding */
const bytesOf = (request: IncomingMessage, response: ServerResponse, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const encoding = encodingOf(request.headers);
    if (encoding !== undefined && !isDecoded(encoding))
      return reject(new ControlError("body.encoding", { encoding }));
    readDecoded(request, { limit, response }, (read) => {
      if (Buffer.isBuffer(read)) resolve(read);
      else if (read === "too large") reject(new ControlError("body.tooLarge", { limit }));
      else reject(unusableBody(read.problem));
    });
  });

/** Why a body is nested too deeply outside of the fixtures that it, or the scenario in it, contains. */
function depthProblem(value: unknown): string | undefined {
  const without = (part: unknown) => (isObject(part) ? { ...part, fixtures: null } : part);
  const rest = isObject(value) ? { ...value, fixtures: null, scenario: without(value.scenario) } : value;
  return sizeProblem(rest, { values: worldValues.limit, depth: controlDepth.limit });
}

/** @returns a signal that is aborted when the response is closed */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once("close", () => controller.abort());
  return controller.signal;
}

/**
 * An answer without its secrets. A list is written entry by entry: the values of all its entries may not fit into the heap at
 * once, their text does.
 */
function maskedAnswer(answer: HttpAnswer): HttpAnswer {
  if ("body" in answer && Array.isArray(answer.body)) {
    const { body, ...rest } = answer;
    const texts = body.map((entry: unknown) => JSON.stringify(masked(entry)) ?? "null");
    return { ...rest, text: `[${texts.join(",")}]`, contentType: JSON_TYPE };
  }
  if ("body" in answer) return { ...answer, body: masked(answer.body) };
  if ("text" in answer) return { ...answer, text: String(masked(answer.text, "message")) };
  return answer;
}

/** A text without the character of masks, as it is or escaped, holds none: a large body is not searched. */
const mayHoldMasks = (text: Buffer): boolean => text.includes(MASK) || text.includes("\\u2022");

/** Checks values by schemas, which are compiled at their first use. */
function schemaChecker(): (schema: Schema, value: unknown) => unknown {
  const validators = new WeakMap<Schema, ValidateFunction>();
  let ajv: Ajv2020 | undefined;
  return (schema, value) => {
    ajv ??= createAjv({ defaults: true });
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    if (!validate(value)) throw unusable(schemaProblems(validate.errors ?? [], value));
    return value;
  };
}

interface RoutedCall {
  readonly route: ControlRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** The control API over HTTP. The journey of a call: route, access, sandbox, query, body, handler, record. */
export function controlApp(
  services: ControlServices,
  access: Access,
  report: (error: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { registry, ownership } = services;
  const routes = routeTable<ControlRoute>(ROUTES, pathsOf);
  const checked = schemaChecker();

  function refuse(response: ServerResponse, thrown: unknown): void {
    // Work that ended because its client disconnected needs no answer.
    if (response.destroyed && thrown instanceof Error && thrown.name === "AbortError") return;
    const known = controlErrorOf(thrown);
    if (!(known instanceof ControlError)) report(thrown);
    const error = known instanceof ControlError ? known : new ControlError("simulator.failed");
    // A response that has begun cannot become another one: its client must notice that it is incomplete.
    if (response.headersSent) response.destroy();
    sendJson(response, error.status, error, error.headers);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Node sets the target on every request that a server receives.
    const target = splitTarget(request.url ?? "");
    const { route, params } = routeOf(request, target.path);
    const sandbox = await sandboxOf(route, params);
    sandbox.controlCalls.enter();
    try {
      await serve(request, response, { route, params }, sandbox, target);
    } catch (error) {
      throw withNames(controlErrorOf(error), sandbox);
    } finally {
      sandbox.controlCalls.leave();
    }
  }

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { route, params }: RoutedCall,
    sandbox: Sandbox,
    target: ReturnType<typeof splitTarget>,
  ): Promise<void> {
    // Validation fills in defaults, so the value must not be shared.
    const { secrets, ...given } = queryOf(target.query);
    if (secrets !== undefined && secrets !== "show")
      throw unusable([{ path: "secrets", message: `must be show, but is ${preview(secrets)}` }]);
    const showsSecrets = secrets === "show" && access.showsSecrets;
    const query = route.query && checked(route.query, given);
    const { body, bytes } = await bodyOf(route, request, response);
    const { run } = sandbox;
    const call: ControlCall = {
      params,
      query,
      body,
      sandbox,
      run,
      services,
      cause: () => ({ id: run.logs.controls.nextId() }),
      request,
      response,
      gone: () => goneSignal(response),
    };
    const record = beginRecord(route, call, target.path);
    const { changes } = sandbox.saver;
    const handled = route.handle(call);
    // `cause` has assigned the id of the record, so no other record may be written before this one.
    const result = handled instanceof Promise ? await handled : handled;
    record?.(result, bytes);
    // The answer of a sink reports nothing that is saved.
    if (!route.takesAnything) await sandbox.saver.settled(changes);
    const isMasked = !showsSecrets && route.secrets === undefined;
    sendAnswer(response, isMasked ? maskedAnswer(result) : result, route.success.status);
  }

  /** The route of a call. Access is checked first, so that unauthorized callers cannot discover routes. @throws ControlError */
  function routeOf(request: IncomingMessage, path: string): RoutedCall {
    const { method = "" } = request;
    const { route, params, allowed } = routes.find(method, path.slice(CONTROL_PREFIX.length));
    access.check(request, route?.open);
    if (route !== undefined) return { route, params };
    if (allowed.length === 0) throw new ControlError("routes.unknown", { path });
    const methods = allowed.join(", ");
    throw new ControlError("routes.wrongMethod", { method, path, allowed: methods }, [], ["Allow", methods]);
  }

  /** The sandbox of a call, opened here if several processes share sandboxes. @throws Error if it cannot be opened */
  async function sandboxOf(
    { scope }: ControlRoute,
    { sandbox: id }: Readonly<Record<string, string>>,
  ): Promise<Sandbox> {
    if (id !== undefined || scope !== "server") await ownership?.opened(id ?? DEFAULT_SANDBOX);
    return scope === "server" || id === undefined ? registry.default : sandboxWithId(registry, id);
  }

  /** The checked body, and how many bytes it had. @throws ControlError, and Refusal while the heap is full */
  async function bodyOf(
    { body: schema, bodyOptional, world, recorded, takesAnything }: ControlRoute,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly body?: unknown; readonly bytes: number }> {
    // Before the body is read, as in the simulated API; a call that is not recorded adds nothing.
    const adds = takesAnything === true || (schema !== undefined && recorded !== false);
    const full = adds && hasBody(request) ? registry.heap.refusal : undefined;
    if (full !== undefined) throw full;
    if (schema === undefined) return { bytes: 0 };
    const { limit } = world === undefined ? controlBytes : worldBytes;
    const read = hasBody(request) ? await bytesOf(request, response, limit) : NO_BYTES;
    const bytes = read.length;
    if (bytes === 0 && bodyOptional === true) return { body: checked(schema, {}), bytes };
    if (bytes === 0) throw unusable([{ path: "", message: "needs a JSON body" }]);
    const levels = world === undefined ? controlDepth.limit : MAX_DEPTH;
    const most = { levels, keys: controlKeys.limit, values: worldValues.limit };
    const parsed = parseJson(read, most);
    if (parsed.problem !== undefined) throw unusableBody(parsed.problem, parsed.syntax);
    const { value } = parsed;
    const problem = world === "fixtures" ? depthProblem(value) : undefined;
    if (problem !== undefined) throw unusableBody(problem);
    if (mayHoldMasks(read)) refuseMasks(value);
    return { body: checked(schema, value), bytes };
  }

  return (request, response) =>
    void answer(request, response).catch((thrown: unknown) => refuse(response, thrown));
}

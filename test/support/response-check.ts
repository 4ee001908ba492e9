/** Checks that every answer in a test is declared in the tables. */
import { expect } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { possibleAnswers } from "../../src/api/responses.js";
import { CONTROL_ERRORS, type ControlErrorKey } from "../../src/control/errors.js";
import { type ControlRoute, pathsOf } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { routeTable } from "../../src/kernel/http/endpoint.js";
import { keysOf } from "../../src/kernel/objects.js";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";

const operations = routeTable<Operation>(OPERATIONS);
const controlRoutes = routeTable<ControlRoute>(ROUTES, pathsOf);
const ajv = createAjv();

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Fails if an operation of the simulated API does not declare this answer. */
export function expectPossible(method: string, target: string, { status, headers, body }: Answer): void {
  const hit = operations.find(method, target.split("?")[0] as string);
  if (hit === undefined || !("route" in hit)) return;
  const { id } = hit.route;
  const answers = possibleAnswers(hit.route).filter((answer) => answer.status === status);
  expect(answers.length, `${id} never answers ${status}: ${JSON.stringify(body)}`).toBeGreaterThan(0);
  const decidedBy = headers.get("x-sim-behaviour");
  if (decidedBy !== null && Object.hasOwn(ANSWERS, decidedBy)) {
    const keys = answers.map(({ behaviour }) => behaviour);
    expect(keys, `${id} ${status} is not declared to be decided by ${decidedBy}`).toContain(decidedBy);
    // The sandbox's behaviour may be anything: the description has the default.
    return;
  }
  const fits = answers.some(({ schema }) => ajv.validate(schema, body));
  expect(fits, `${id} ${status} does not fit its schema: ${JSON.stringify(body)} ${ajv.errorsText()}`).toBe(
    true,
  );
}

/** Whether a call of the control API is about the server, not a sandbox. `target` is below `/__sim`. */
export function isOfServer(method: string, target: string): boolean {
  const hit = controlRoutes.find(method, target.split("?")[0] as string);
  return (
    hit !== undefined && "route" in hit && (hit.route.scope === "server" || target.startsWith("/sandboxes/"))
  );
}

/** The errors that any call of the control API may get. */
export const GENERAL_ERRORS: readonly ControlErrorKey[] = keysOf(CONTROL_ERRORS).filter((key) =>
  /^(access|routes|http|body|load|memory)\.|^(input\.unusable|store\.unavailable|sandboxes\.elsewhere)$/.test(
    key,
  ),
);

/** Fails if a route of the control API does not declare this error. `target` is below `/__sim`. */
export function expectDeclared(method: string, target: string, { status, body }: Answer): void {
  const { code, message } = (body as { error?: { code?: string; message?: string } } | null)?.error ?? {};
  if (code === undefined || message === undefined) return;
  const path = target.split("?")[0] as string;
  const hit = controlRoutes.find(method, path);
  const { refusals = [], others = [] } = hit !== undefined && "route" in hit ? hit.route : {};
  if (others.some((other) => other.status === status)) return;
  const keys = [...GENERAL_ERRORS, ...refusals, "sandboxes.notFound" as const].filter(
    (key) => key !== "sandboxes.notFound" || path.startsWith("/sandboxes/"),
  );
  const declared = keys
    .map((key) => CONTROL_ERRORS[key])
    .filter((entry) => entry.code === code && entry.status === status);
  // Messages about missing things also list the existing ones.
  const said = status === 404 ? message.replace(/; [a-z]+: .*$/s, "") : message;
  const fitting = declared.filter((entry) => patternOf(entry.message).test(said));
  expect(fitting.length, `${method} ${path} does not declare ${status} ${code}: ${message}`).toBeGreaterThan(
    0,
  );
}

/** Matches the texts of a template. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template.replace(/\$\{\w+\}|[\\^$.*+?()[\]{}|]/g, (part) => (part.startsWith("${") ? "[^]*" : `\\${part}`))}$`,
  );

import { expect } from "vitest";
import type { Operation } from "../../src/api/operation.js";
import { OPERATIONS } from "../../src/api/operations/index.js";
import { possibleAnswers } from "../../src/api/responses.js";
import { createAjv } from "../../src/kernel/ajv.js";
import { RouteTable } from "../../src/kernel/routes.js";

const routes = new RouteTable<Operation>();
for (const operation of OPERATIONS as readonly Operation[])
  routes.add(operation.method, operation.path, operation);
const ajv = createAjv();

/** Fails when an answer of the simulated API is none that its operation may give. */
export function expectPossible(method: string, target: string, status: number, body: unknown): void {
  const hit = routes.find(method, target.split("?")[0] as string);
  if (hit === undefined || !("route" in hit)) return;
  const { id, failure } = hit.route;
  const answers = possibleAnswers(hit.route).filter((answer) => answer.status === status);
  expect(answers.length, `${id} never answers ${status}: ${JSON.stringify(body)}`).toBeGreaterThan(0);
  if (answers.some(({ schema }) => schema === undefined)) return;
  const schemas =
    status >= 400 && failure !== undefined ? [failure] : answers.map(({ schema }) => schema as object);
  const fits = schemas.some((schema) => ajv.validate(schema, body));
  expect(fits, `${id} ${status} does not fit its schema: ${JSON.stringify(body)} ${ajv.errorsText()}`).toBe(
    true,
  );
}

/** Checks calls and answers of both APIs against the served descriptions, as a validating proxy would. */
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { callsOf, type Described, type DrawnCall, operationsOf } from "./calls.js";
import { validatorFor } from "./checks.js";

type ProblemOf = ReturnType<typeof validatorFor>;

const COUNT = 200;
const ACME = "acme-token";
const TOKENS = [ACME, ACME, ACME, "globex-token", "acme-no-delete", "wrong", undefined];

/** Why a request does not match the description. */
function requestProblem(problemOf: ProblemOf, { described, query, body }: DrawnCall): string | undefined {
  for (const { name, in: where, required, schema } of described.parameters) {
    if (where !== "query") continue;
    if (query[name] === undefined && required) return `${name} is missing`;
    const value = [schema.type].flat()[0] === "integer" ? Number(query[name]) : query[name];
    if (query[name] !== undefined && problemOf(schema, value)) return `${name} does not fit`;
  }
  const { required = false, content = {} } = described.requestBody ?? {};
  if (body === undefined) return required ? "there is no body" : undefined;
  const [media] = Object.values(content);
  return media && problemOf(media.schema, body);
}

/** Why an answer does not match the description. */
function answerProblem(
  problemOf: ProblemOf,
  { responses }: Described,
  { status, headers }: Response,
  text: string,
): string | undefined {
  const described = responses[status] ?? responses.default;
  if (described === undefined) return "the status is not described";
  if (described.content === undefined) return undefined;
  const whole = headers.get("content-type") ?? "";
  const type = whole.split(";")[0] ?? "";
  const media = described.content[whole] ?? described.content[type];
  if (media === undefined) return `the type ${type} is not described`;
  return problemOf(media.schema, type === "application/json" ? JSON.parse(text) : text);
}

it.each([
  { api: "simulated", name: "openapi", tokens: TOKENS, seldom: 4, statuses: [200, 400, 401, 403, 404] },
  { api: "control", name: "control", tokens: [undefined], seldom: 0, statuses: [200, 201, 400, 404, 409] },
])(`sees no violation in ${COUNT} calls of the $api API`, async ({ name, tokens, seldom, statuses }) => {
  const { control, url } = await startSimulator();
  const { body: document } = await control(`GET /${name}.json`);
  await control("PUT /sandboxes/side", {});
  const problemOf = validatorFor(document);
  const seen: number[] = [];
  const violations: string[] = [];
  const called = new Set<string>();
  for (const call of callsOf(document, { seed: 9, count: COUNT, tokens })) {
    const { method, target, init, body, described } = call;
    const response = await fetch(url + target, { ...init, signal: AbortSignal.timeout(20_000) });
    const { status, headers } = response;
    const text = await response.text();
    seen.push(status);
    called.add(described.operationId);
    const line = `${method} ${target} ${JSON.stringify(body)} → ${status} ${text.slice(0, 300)}`;
    const wrong = answerProblem(problemOf, described, response, text);
    if (wrong !== undefined) violations.push(`${line}: ${wrong}`);
    const problem = requestProblem(problemOf, call);
    if (problem === undefined || status >= 400) continue;
    // If the service accepts more than its description, there must be a contract warning.
    const id = headers.get("x-sim-request");
    const { body: warnings } = await control("GET /warnings");
    const isWarned = warnings.some(({ requestId }: { requestId: string }) => requestId === id);
    if (!isWarned) violations.push(`${line} without a warning: ${problem}`);
  }
  expect(violations).toEqual([]);
  expect(called.size).toBe(operationsOf(document).length);
  for (const status of statuses)
    expect(seen.filter((one) => one === status).length, `${status}`).toBeGreaterThan(seldom);
});

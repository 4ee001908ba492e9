/** Checks calls and answers of both APIs against the served descriptions, as a validating proxy would. */
import { describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { callOf, callsOf, type Described, type DrawnCall, KNOWN, withoutStreams } from "./calls.js";
import { validatorFor } from "./checks.js";

const COUNT = 200;

/** Checks calls and answers against a description. */
class Judge {
  readonly violations: string[] = [];
  readonly statuses: number[] = [];
  readonly operations = new Set<string>();
  readonly #problemOf: (schema: unknown, value: unknown) => string | undefined;

  constructor(document: object) {
    this.#problemOf = validatorFor(document);
  }

  /** Why a request does not match the description. */
  requestProblem({ described, query, body }: DrawnCall): string | undefined {
    for (const { name, in: where, required, schema } of described.parameters) {
      if (where !== "query") continue;
      if (query[name] === undefined && required) return `${name} is missing`;
      const value = [schema.type].flat()[0] === "integer" ? Number(query[name]) : query[name];
      if (query[name] !== undefined && this.#problemOf(schema, value)) return `${name} does not fit`;
    }
    const { required = false, content = {} } = described.requestBody ?? {};
    if (body === undefined) return required ? "there is no body" : undefined;
    const [media] = Object.values(content);
    return media && this.#problemOf(media.schema, body);
  }

  async judge(call: DrawnCall, response: Response): Promise<void> {
    const { status } = response;
    const text = await response.text();
    const line = `${call.method} ${call.target} ${JSON.stringify(call.body)} → ${status} ${text.slice(0, 300)}`;
    this.statuses.push(status);
    this.operations.add(call.described.operationId);
    const problem = this.#answerProblem(call.described, response, text);
    if (problem !== undefined) this.violations.push(`${line}: ${problem}`);
  }

  #answerProblem({ responses }: Described, { status, headers }: Response, text: string): string | undefined {
    const described = responses[status] ?? responses.default;
    if (described === undefined) return "the status is not described";
    if (described.content === undefined) return undefined;
    const whole = headers.get("content-type") ?? "";
    const type = whole.split(";")[0] ?? "";
    const media = described.content[whole] ?? described.content[type];
    if (media === undefined) return `the type ${type} is not described`;
    return this.#problemOf(media.schema, type === "application/json" ? JSON.parse(text) : text);
  }
}

async function play({ url }: Running, judge: Judge, call: DrawnCall): Promise<Response> {
  const [target, init] = callOf(call);
  const response = await fetch(`${url}${target}`, { ...init, signal: AbortSignal.timeout(20_000) });
  await judge.judge(call, response.clone());
  return response;
}

const ACME = "acme-token";
const TOKENS = [ACME, ACME, ACME, "globex-token", "acme-no-delete", "wrong", undefined];

describe("a validating proxy", () => {
  it.each([
    { api: "simulated", name: "openapi", tokens: TOKENS, seldom: 4, statuses: [200, 400, 401, 403, 404] },
    { api: "control", name: "control", tokens: [undefined], seldom: 0, statuses: [200, 201, 400, 404, 409] },
  ])(`sees no violation in ${COUNT} calls of the $api API`, async ({ name, tokens, seldom, statuses }) => {
    const simulator = await startSimulator();
    const document = withoutStreams((await simulator.control(`GET /${name}.json`)).body);
    await simulator.control("PUT /sandboxes/side", {});
    const judge = new Judge(document);
    const letThrough: string[] = [];
    for (const call of callsOf(document, KNOWN, { seed: 9, count: COUNT, tokens })) {
      const { status, headers } = await play(simulator, judge, call);
      const problem = judge.requestProblem(call);
      if (problem === undefined || status >= 400) continue;
      // If the service accepts more than its description, there must be a contract warning.
      const id = headers.get("x-sim-request");
      const warnings = id === null ? [] : (await simulator.control(`GET /warnings?requestId=${id}`)).body;
      if (warnings.length === 0)
        letThrough.push(`${call.method} ${call.target} ${JSON.stringify(call.body)}: ${problem}`);
    }
    expect(judge.violations).toEqual([]);
    expect(letThrough).toEqual([]);
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(judge.operations.size).toBe(operations.length);
    for (const status of statuses)
      expect(judge.statuses.filter((seen) => seen === status).length, `${status}`).toBeGreaterThan(seldom);
  });

  it("sees an answer that differs from the description", async () => {
    const simulator = await startSimulator();
    const { body: document } = await simulator.control("GET /openapi.json");
    const { get } = document.paths["/api/customers/{customerId}/profile"];
    document.components.schemas.CustomerProfile.properties.id.type = "integer";
    delete get.responses["404"];
    const judge = new Judge(document);
    const call = { method: "GET", query: {}, token: "acme-token", body: undefined, described: get };
    for (const id of ["cust_001", "nobody"])
      await play(simulator, judge, { ...call, target: `/api/customers/${id}/profile` });
    expect(judge.violations).toEqual([
      expect.stringMatching(/→ 200 .*id must be integer$/),
      expect.stringMatching(/→ 404 .*the status is not described$/),
    ]);
  });
});

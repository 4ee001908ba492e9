import { onTestFinished } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/simulator.js";
import { createSimulator } from "../../src/simulator.js";
import { expectDeclared, expectPossible } from "./response-check.js";

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
  readonly body: any;
}

export interface Running extends Simulator {
  /** Calls the control API: `control("POST /reset")`, `control("PUT /clock", { frozen: true })`. */
  control(call: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls the simulated API with the token `acme-token`, unless another (or null for none) is given. */
  api(
    call: string,
    body?: unknown,
    options?: { token?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
}

async function call(
  base: string,
  line: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const [method, path] = line.split(" ") as [string, string];
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Starts a simulator on a free port and ends it with the test. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Running> {
  const simulator = await createSimulator(options);
  onTestFinished(() => simulator.close());
  return withCalls(simulator, options);
}

export const withCalls = (simulator: Simulator, options: SimulatorOptions = {}): Running => ({
  ...simulator,
  control: async (line, body, headers = {}) => {
    const answer = await call(`${simulator.url}/__sim`, line, body, headers);
    const [method, target] = line.split(" ") as [string, string];
    expectDeclared(method, target, answer);
    return answer;
  },
  api: async (line, body, { token = "acme-token", headers = {} } = {}) => {
    const answer = await call(simulator.url, line, body, token === null ? headers : { token, ...headers });
    const [method, target] = line.split(" ") as [string, string];
    if (!(options.behaviour || options.set)) expectPossible(method, target, answer);
    return answer;
  },
});

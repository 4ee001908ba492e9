import { onTestFinished } from "vitest";
import type { SandboxOptions } from "../../src/client/index.js";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../src/server/simulator.js";
import { expectPossible, isOfServer } from "./response-check.js";

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
  readonly body: any;
}

/** A client of both APIs. */
export interface Caller {
  /** The base address of the simulated API. */
  readonly url: string;
  /** The token to send in calls that a test makes itself; default: that of `acme-token`. */
  tokenOf(name?: string): string;
  /** Calls the control API: `control("POST /reset")`, `control("PUT /clock", { frozen: true })`. */
  control(call: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls the simulated API with the token `acme-token`, unless another (or null for none) is given. */
  api(
    call: string,
    body?: unknown,
    options?: { token?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
}

export interface Running extends Simulator, Caller {}

/** A sandbox of one test, to which the tokens and control routes of its caller belong. */
export interface OpenSandbox extends Caller {
  readonly id: string;
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

/** A caller in `sandbox`, or in the sandbox `default`; `anyAnswer`: the behaviour may make answers that no operation declares. */
function callerOf(url: string, anyAnswer: boolean, sandbox?: string): Caller {
  const split = (line: string) => line.split(" ") as [method: string, target: string];
  const tokenOf = (name = "acme-token") => (sandbox === undefined ? name : `${sandbox}.${name}`);
  return {
    url,
    tokenOf,
    control: async (line, body, headers = {}) => {
      const [method, path] = split(line);
      const isServer = sandbox === undefined || isOfServer(method, path);
      const target = isServer ? path : `/sandboxes/${sandbox}${path}`;
      return call(`${url}/__sim`, `${method} ${target}`, body, headers);
    },
    api: async (line, body, { token = "acme-token", headers = {} } = {}) => {
      const sent = token === null ? headers : { token: tokenOf(token), ...headers };
      const answer = await call(url, line, body, sent);
      if (!anyAnswer) expectPossible(...split(line), answer);
      return answer;
    },
  };
}

/** Starts a simulator on a free port and ends it with the test. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Running> {
  const simulator = await createSimulator(options);
  onTestFinished(() => simulator.close());
  return withCalls(simulator, options);
}

export const withCalls = (simulator: Simulator, { behaviour, set }: SimulatorOptions = {}): Running => ({
  ...simulator,
  ...callerOf(simulator.url, Boolean(behaviour || set)),
});

/** The simulator that tests of this process share; it ends with the process. */
let shared: Promise<Simulator> | undefined;

/**
 * Opens a sandbox in the simulator that all tests of this process share, and ends it with the test: a start costs a call.
 * Calls without a token, and with one that nobody has, belong to the sandbox `default`.
 */
export async function openSandbox(options: Omit<SandboxOptions, "id"> = {}): Promise<OpenSandbox> {
  shared ??= createSimulator();
  const { url } = await shared;
  const { status, body } = await call(`${url}/__sim`, "POST /sandboxes", options, {});
  if (status !== 201) throw new Error(`no sandbox: ${JSON.stringify(body)}`);
  onTestFinished(async () => {
    await call(`${url}/__sim`, `DELETE /sandboxes/${body.id}`, undefined, {});
  });
  return { id: body.id, ...callerOf(url, options.behaviour !== undefined, body.id) };
}

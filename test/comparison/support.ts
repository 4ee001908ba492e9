/** Comparisons through the command, and services to compare with. */
import type { IncomingMessage } from "node:http";
import type { Comparison } from "../../src/lab/comparison/report.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";

interface Reported {
  readonly code: number;
  readonly err: string;
  readonly report: Comparison;
}

async function reported(words: readonly string[]): Promise<Reported> {
  const { code, out, err } = await run(["compare", ...words, "--reporter", "json"]);
  return { code, err, report: out === "" ? undefined : JSON.parse(out) };
}

/** Compares by one scenario. */
export function compareWith(
  scenario: object,
  url: string,
  words: readonly string[] = [],
  token = "acme-token",
): Promise<Reported> {
  const path = scratch()("compared.json", JSON.stringify({ name: "Compared", ...scenario }));
  return reported([path, "--against", url, "--token", token, ...words]);
}

/** What the probes may use in the shipped fixture. */
export const RECORDS = ["--thread", "9001", "--customer", "cust_001"];

/** Compares by the probes that ship. */
export const probeWith = (url: string, words: readonly string[] = [], records = RECORDS): Promise<Reported> =>
  reported(["--against", url, "--token", "acme-token", "--yes", ...records, ...words]);

const AUTHORIZED = { authorization: "Bearer of-the-test" };

/** A simulator in the part of the service, whose control API only the test may call. */
export async function startService(behaviour = {}) {
  const simulator = await startSimulator({ controlToken: "of-the-test", behaviour });
  const asked = async (call: string, body?: unknown) =>
    (await simulator.control(call, body, AUTHORIZED)).body;
  const calls = () => asked("GET /requests?limit=1000");
  /** Whether the service has taken a call that creates or changes something at a path. */
  const hasCalled = async (path: string) =>
    (await calls()).some(
      (one: { method: string; path: string; status: number }) =>
        one.method === "POST" && one.path === path && one.status === 200,
    );
  return { ...simulator, asked, state: () => asked("GET /state"), calls, hasCalled };
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A service that answers each call as `answer` says, and the calls that it got. */
export async function fakeService(answer: (call: string, count: number) => Answer) {
  const calls: {
    readonly line: string;
    readonly headers: IncomingMessage["headers"];
    readonly at: number;
  }[] = [];
  const url = await serverOf((request, response) => {
    const line = `${request.method} ${request.url}`;
    calls.push({ line, headers: request.headers, at: performance.now() });
    const { status, headers = {}, body = [] } = answer(line, calls.length);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  return { url, calls };
}

type Change = (answer: { status: number; body: Record<string, unknown> }) => {
  status?: number;
  body?: unknown;
};

/** A simulator whose answers to calls that match are changed: a service that contradicts the specification. */
export async function lyingService(lies: Readonly<Record<string, Change>>) {
  const { url: truth } = await startSimulator();
  return serverOf(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { host: _, "content-length": __, ...headers } = request.headers;
    const answer = await fetch(truth + request.url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(text !== "" && { body: text }),
    });
    const told = { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    const line = `${request.method} ${request.url} ${text}`;
    const lie = Object.entries(lies).find(([part]) => line.includes(part))?.[1];
    const { status, body } = { ...told, ...lie?.(told) };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

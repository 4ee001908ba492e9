/** Calls of a scenario to the simulated API, and what their answers are checked against. */
import { differences } from "../kernel/matching.js";
import { parsePath } from "../kernel/path.js";
import { partOf } from "./placeholders.js";
import type { Run } from "./run.js";
import { type Outcome, StepFailure } from "./step.js";

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Undefined: the scenario's; null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
}

export interface ApiAnswer {
  /** Null when the connection was closed without an answer. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The id of the call in the journal. */
  readonly journalId: string | undefined;
}

export interface ExpectedAnswer {
  readonly status?: number | null;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Tells the journal that the scenario made the call, not the system under test. */
export const MAKER_HEADER = "x-sim-by";
const MAKER = { [MAKER_HEADER]: "scenario" };

export async function callApi(
  run: Run,
  { method, path, token, headers = {}, body }: ApiCall,
): Promise<ApiAnswer> {
  const name = token === undefined ? run.scenario.token : token;
  const sent: Record<string, string> = { "content-type": "application/json" };
  if (name !== undefined && name !== null) sent.token = run.tokenFor(name);
  for (const [header, value] of Object.entries(headers)) {
    if (value === null) delete sent[header.toLowerCase()];
    else sent[header.toLowerCase()] = value;
  }
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  try {
    const url = run.target.url + path;
    const answer = await run.http.send({ method, url, headers: { ...sent, ...MAKER }, body: text });
    const { status, headers: received } = answer;
    return { status, headers: received, body: bodyOf(answer.text), journalId: received["x-sim-request"] };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("ERR_")) throw new StepFailure(`${method} ${path} cannot be sent: ${message}`);
    return { status: null, headers: {}, body: undefined, journalId: undefined };
  }
}

export function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** @throws StepFailure when the answer is not as expected; without an expectation any answer will do */
export function checkAnswer(answer: ApiAnswer, expected: ExpectedAnswer | undefined, call: string): void {
  const { status, headers, body, journalId } = answer;
  if (expected === undefined) {
    if (status !== null) return;
    throw new StepFailure(`${call} got no answer: the connection was closed`, { seen: { status } });
  }
  const lowered = Object.entries(expected.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const pattern = {
    ...(expected.status === undefined ? {} : { status: expected.status }),
    ...(expected.headers === undefined ? {} : { headers: Object.fromEntries(lowered) as object }),
    ...(expected.body === undefined ? {} : { body: expected.body }),
  };
  const differing = differences(pattern, { status, headers, body });
  if (differing.length === 0) return;
  const got = status === null ? "the connection was closed" : `it answered ${status}`;
  throw new StepFailure(`${call} did not answer as expected: ${got}`, {
    expected,
    seen: { status, ...(expected.headers === undefined ? {} : { headers }), body },
    nearMisses: [
      { id: journalId ?? "", summary: `${call} → ${status ?? "no answer"}`, differences: differing },
    ],
    about: journalId,
    outcome: { status, headers, body },
  });
}

/** The part of an outcome that a `capture` names. @throws StepFailure when there is none */
export function captured(outcome: Outcome, name: string, path: string): unknown {
  const value = partOf(outcome, parsePath(path));
  if (value === undefined)
    throw new StepFailure(`capture ${name}: there is no ${path} in the answer`, {
      expected: path,
      seen: outcome,
    });
  return value;
}

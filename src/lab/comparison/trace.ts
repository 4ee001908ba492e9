/** Runs the steps of a scenario, and keeps every call to an API with its answer. */

import { isObject, mapLeaves } from "../../kernel/json.js";
import { isCredentialName, maskedText } from "../../kernel/masking.js";
import { omitUndefined } from "../../kernel/objects.js";
import { isoOf, onAbort, wallNow } from "../../kernel/realtime.js";
import { type Http, type HttpCall, parsedBody, type RawAnswer, type Target } from "../../scenarios/http.js";
import type { Scenario } from "../../scenarios/read.js";
import type { StepReport } from "../../scenarios/report.js";
import { Runner } from "../../scenarios/runner.js";
import type { ParsedStep } from "../../scenarios/step.js";
import { STAND_IN } from "../../scenarios/varying.js";

export interface TracedCall {
  /** `POST /api/update-thread-status` */
  readonly call: string;
  readonly token: string | undefined;
  readonly sent: unknown;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly problem?: string;
}

/** Sends calls to URLs that begin with `base`, and reports each to `onCall`. */
const tracing =
  (send: (call: HttpCall) => Promise<RawAnswer>, base: string, onCall: (call: TracedCall) => void) =>
  async (call: HttpCall): Promise<RawAnswer> => {
    const sent = {
      call: `${call.method} ${call.url.slice(base.length)}`,
      token: call.headers.token,
      sent: call.body === undefined ? undefined : parsedBody(call.body),
    };
    try {
      const answer = await send(call);
      const { status, headers, text } = answer;
      onCall({ ...sent, status, headers, body: text === "" ? undefined : parsedBody(text) });
      return answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = message === "" ? code : message;
      onCall({ ...sent, status: null, headers: {}, body: undefined, ...omitUndefined({ problem }) });
      throw error;
    }
  };

/** One request step of a run. */
export interface StepTrace extends Pick<StepReport, "name" | "place"> {
  readonly recorded?: TracedCall;
  /** When the answer came, ISO 8601. */
  readonly at: string;
  /** Why the call could not be made. */
  readonly problem?: string;
}

export interface RunTrace {
  /** The request steps by their paths and rounds. */
  readonly steps: ReadonlyMap<string, StepTrace>;
  /** Steps that failed, and answers that the scenario did not expect. */
  readonly failures: readonly (Pick<StepReport, "name" | "place"> & { readonly reason: string })[];
}

interface TraceOptions {
  readonly http: Http;
  readonly send: (call: HttpCall) => Promise<RawAnswer>;
  readonly signal?: AbortSignal;
  /** Awaited before the first step too. */
  readonly reset?: () => Promise<void>;
}

/** Runs steps of a scenario, and keeps every answer. */
export async function tracedRun(
  scenario: Scenario,
  target: Target,
  all: readonly ParsedStep[],
  { http, send, signal, reset }: TraceOptions,
): Promise<RunTrace> {
  const steps = new Map<string, StepTrace>();
  const failures: RunTrace["failures"][number][] = [];
  let newest: TracedCall | undefined;
  const onCall = (call: TracedCall) => {
    newest = call;
  };
  const onStep = ({ name, place, rounds = [], ok, message = "failed" }: StepReport, { kind }: ParsedStep) => {
    const recorded = newest;
    newest = undefined;
    const problem = recorded === undefined ? message : undefined;
    const step = { name, place, at: isoOf(wallNow()), ...omitUndefined({ recorded, problem }) };
    if (kind.effect === "calls") steps.set([place.path, ...rounds].join(" "), step);
    if (!ok) failures.push({ name, place, reason: recorded?.problem ?? message });
  };
  const sendApi = tracing(send, target.url, onCall);
  const runner = new Runner(scenario, target, {
    ...{ http, keepGoing: true, sendApi, onStep },
    ...omitUndefined({ reset }),
  });
  const forget = signal && onAbort(signal, () => runner.interrupt("interrupted"));
  if (reset !== undefined) await runner.reset();
  await runner.execute(all).finally(forget);
  return { steps, failures };
}

/** A shorter secret may be a part of a word by chance. */
const SHORT_SECRET = 6;

/** The secrets that calls and answers have, which nobody else may see wherever they occur. */
export class SecretTexts {
  readonly #known = new Set<string>();

  add(...secrets: readonly string[]): void {
    for (const secret of secrets)
      for (const part of [secret, ...secret.split(" ")].filter(Boolean)) this.#known.add(part);
  }

  /** Notes the values of `extraHeaders`, and of fields and headers that are named after credentials. */
  learn(value: unknown, key = ""): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item, key);
    else if (isObject(value)) {
      if (key === "extraHeaders" && typeof value.value === "string") this.add(value.value);
      for (const [name, part] of Object.entries(value)) this.learn(part, name);
    } else if (typeof value === "string" && isCredentialName(key)) this.add(value);
  }

  /** A value without them, and without passwords in addresses. */
  hide<T>(value: T): T {
    // Only texts change.
    return mapLeaves(value, (leaf) => (typeof leaf === "string" ? this.#hidden(leaf) : leaf)) as T;
  }

  #hidden(text: string): string {
    if (this.#known.has(text)) return STAND_IN;
    const long = [...this.#known].filter(({ length }) => length >= SHORT_SECRET);
    return long.reduce((shown, secret) => shown.replaceAll(secret, STAND_IN), maskedText(text));
  }
}

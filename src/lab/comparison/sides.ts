/** The two sides: a simulator that plays whole scenarios, and another address that is sent their requests. */
import { reasonOf } from "../../kernel/errors.js";
import { maskedAddress } from "../../kernel/masking.js";
import { UnusableDocument } from "../../kernel/problems.js";
import { Http, type HttpCall, parsedBody, type RawAnswer, type Target } from "../../scenarios/http.js";
import { resetSandbox } from "../../scenarios/prepare.js";
import type { Scenario } from "../../scenarios/read.js";
import { allSteps, mapSteps, type StepKind, worksAnywhere } from "../../scenarios/step.js";
import { BEHAVIOUR_KEYS } from "../../service/behaviour/table.js";
import { PacedHttp } from "./paced-http.js";
import { type RunTrace, SecretTexts, tracedRun } from "./trace.js";
import type { EntryValues } from "./values.js";

/** A scenario, and what the other side answered. */
export interface Sent {
  readonly scenario: Scenario;
  readonly trace: RunTrace;
  readonly notSent: RunTrace["failures"];
}

/** A simulator of this process, whose sandbox `default` also answers calls with unknown tokens. It must not deliver anything. */
export interface OwnSimulator extends Target {
  /** Counts how often each entry was consulted, in the order of the table. */
  readonly registry: { coverage(): { readonly reads: readonly number[] } };
}

/**
 * Plays a whole scenario under behaviour values. Its calls count as those of a client, so that the coverage shows which entries they
 * consulted.
 *
 * @throws UnusableDocument, SimError
 */
export async function simulatorTrace(scenario: Scenario, server: OwnSimulator, behaviour: EntryValues) {
  const http = new Http({ isOwn: server.isOwn });
  const reset = () => resetSandbox({ ...scenario, behaviour }, server);
  const steps = mapSteps(scenario.steps, (step) => (isLeftOut(step.kind) ? undefined : step));
  // What control steps consult is not counted.
  const isCounted = allSteps(steps).every(({ kind }) => worksAnywhere(kind));
  const { reads: before } = server.registry.coverage();
  try {
    const side = { http, send: http.send.bind(http), reset };
    const trace = await tracedRun(scenario, server, steps, side);
    const { reads } = server.registry.coverage();
    const consulted = BEHAVIOUR_KEYS.filter((_, index) => !isCounted || reads[index] !== before[index]);
    return { ...trace, consulted };
  } finally {
    http.close();
  }
}

/** No answer of the API depends on steps that observe or emit, and only the simulator takes faults. */
const isLeftOut = ({ effect, send }: StepKind): boolean =>
  effect === "observes" || effect === "emits" || send?.route.endsWith("/faults") === true;

/**
 * The steps for the other side: requests, and steps that need no simulator.
 *
 * @param tokens by the tokens of the fixture, those of the other side, if it has one
 */
export function otherSteps(scenario: Scenario, tokens: Readonly<Record<string, string | undefined>>) {
  /** Requests that cannot be sent, and why. */
  const notSent: RunTrace["failures"][number][] = [];
  const steps = mapSteps(scenario.steps, (step) => {
    const { kind, input, name, place } = step;
    if (kind.effect !== "calls") return worksAnywhere(kind) ? step : undefined;
    const named = input.token === undefined ? scenario.token : input.token;
    if (typeof named !== "string") return step;
    // An unknown token is sent as it is: it is meant to be refused.
    const token = Object.hasOwn(tokens, named) ? tokens[named] : named;
    if (token !== undefined) return { ...step, input: { ...input, token } };
    const reason = `the token ${named} has no counterpart on the other side: pass --token-for ${named}=KEY`;
    notSent.push({ name, place, reason });
    return undefined;
  });
  return { steps, notSent };
}

/** A real service, or another simulator. */
export interface Against {
  readonly url: string;
  /** Sent in place of the scenario's own token. */
  readonly token: string;
  /** Further tokens, by what the fixture calls them. */
  readonly tokens: Readonly<Record<string, string>>;
  /** How long an answer may take, ms of real time. */
  readonly timeoutMs: number;
  /** Aborted by the user: no further call is made but those that undo something. */
  readonly signal: AbortSignal;
}

/** Input is unusable because of the other side: it does not answer, refuses a token, or lacks what an option names. */
export const otherSideFailed = (option: string, message: string) =>
  new UnusableDocument([{ path: `--${option}`, message }]);

/** What is sent to the other side, and what is secret in that. */
export class OtherSide extends PacedHttp {
  readonly secrets = new SecretTexts();
  /** How messages name the address. */
  readonly name: string;

  constructor(readonly against: Against) {
    super(against.url, against.signal, against.timeoutMs);
    this.name = maskedAddress(against.url);
    this.secrets.add(against.token, ...Object.values(against.tokens));
  }

  override async send(call: HttpCall): Promise<RawAnswer> {
    this.secrets.learn(call.headers);
    this.secrets.learn(parsedBody(call.body ?? ""));
    const answer = await super.send(call);
    this.secrets.learn(parsedBody(answer.text));
    return answer;
  }

  /** A call of the comparison itself, with the main token. @throws UnusableDocument if there is no answer */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { "content-type": "application/json", token: this.against.token };
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const answer = await this.send({ method, url: this.url + path, headers, body: text });
      return { status: answer.status, body: parsedBody(answer.text) };
    } catch (error) {
      if (!this.isUndoing) this.signal.throwIfAborted();
      throw otherSideFailed("against", `${this.name} does not respond: ${reasonOf(error)}`);
    }
  }
}

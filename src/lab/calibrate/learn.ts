/** Finds the behaviour values that a recording proves, and what of it contradicts the specification. */

import type { FixtureDocument } from "../../service/world/records.js";
import { checked, hasPassed, ofNoOperation } from "./checks.js";
import { Conclusions } from "./conclusions.js";
import { Events } from "./events.js";
import {
  compare,
  formProblem,
  isMatch,
  type Match,
  type Mismatch,
  mismatch,
  misplacedText,
  type Outcome,
  operationOf,
} from "./judge.js";
import { FOREIGN_BUSINESS, Parties } from "./parties.js";
import { type Choices, type Played, Possibilities, worldsOf } from "./possible.js";
import { DOCUMENTED_DELETIONS, Profiles } from "./profiles.js";
import type { Calibration } from "./report.js";
import { Threads } from "./threads.js";
import type { Exchange, Trace } from "./trace.js";
import { isAccepted, NOT_JSON, shownIn, tokenOf, unclear } from "./trace.js";
import { Webhooks } from "./webhooks.js";

interface LearnOptions {
  /** The world at the start of the recording; default: as far as the recording shows it. */
  readonly fixture?: FixtureDocument | undefined;
}

/**
 * Compares a trace with what the specification and the behaviour table allow. The trace may come from a recording or from probes.
 * Each exchange is put down as the possible worlds in which it could have happened; a value is learned if no other one is left.
 */
export async function learn(trace: Trace, { fixture }: LearnOptions = {}): Promise<Calibration> {
  return new Learning(trace, fixture).calibration();
}

const TOO_MANY = "there are too many possible explanations";

class Learning {
  readonly #parties: Parties;
  readonly #threads: Threads;
  readonly #profiles: Profiles;
  readonly #webhooks: Webhooks;
  readonly #events: Events;
  readonly #possibilities = new Possibilities();
  readonly #conclusions: Conclusions;

  constructor(
    readonly trace: Trace,
    fixture: FixtureDocument | undefined,
  ) {
    this.#parties = new Parties(trace, fixture);
    this.#threads = new Threads(trace, this.#parties, fixture);
    this.#profiles = new Profiles(trace, this.#parties, fixture);
    this.#webhooks = new Webhooks(trace, this.#parties, fixture);
    this.#events = new Events(trace, this.#parties, this.#webhooks);
    this.#conclusions = new Conclusions(trace, this.#possibilities);
  }

  calibration(): Calibration {
    for (const [index, exchange] of this.trace.entries())
      if (exchange.kind === "call") this.#call(exchange, index);
      else this.#delivery(exchange, index);
    this.#possibilities.ruleOut();
    return this.#conclusions.calibration();
  }

  #call(call: Exchange, index: number): void {
    const reason = unclear(call) ?? this.#unclearKey(call) ?? notJson(call);
    const problem = reason === undefined ? problemOf(call) : undefined;
    if (reason !== undefined) this.#conclusions.leave(index, reason);
    else if (problem !== undefined) this.#conclusions.accuse(index, problem);
    else
      this.#explain(
        index,
        worldsOf((choices) => this.#compared(choices, call, index)),
      );
    const isAccused = this.#conclusions.isAccused(index);
    const trust = reason !== undefined ? "unclear" : isAccused ? "contradicted" : "clear";
    this.#threads.after(call, trust);
    this.#profiles.after(call, trust);
    this.#webhooks.after(call, trust);
  }

  /** A key that was accepted at another time: its refusal says nothing else. */
  #unclearKey(call: Exchange): string | undefined {
    const isRefused = call.message.status === 401 && this.#parties.wasAccepted(tokenOf(call));
    return isRefused
      ? "its key was accepted at another time: it expired, was revoked or did not exist yet"
      : undefined;
  }

  #compared(choices: Choices, call: Exchange, index: number): Match | Mismatch {
    const compared = compare(choices, call, this.#outcome(choices, call, index));
    if (!isMatch(compared) || !this.#events.isHidden(call)) return compared;
    choices.pick("events.internalMessages", ["omit"]);
    return compared;
  }

  #outcome(choices: Choices, call: Exchange, index: number): Outcome {
    const operation = operationOf(call.operation);
    if (operation === undefined) return ofNoOperation(choices, call, index, this.#parties);
    const passed = choices.begin(() => checked(choices, call, index, operation, this.#parties));
    if (!hasPassed(passed)) return passed;
    switch (call.operation) {
      case "getCustomerProfile":
        return this.#profiles.read(choices, call, index);
      case "updateCustomerProfile":
        return this.#profiles.update(choices, call, index);
      case "deleteUserByEmail":
        return this.#profiles.delete(choices, call, index, passed);
      case "sendMessageToCustomerThread":
        return this.#threads.send(choices, call, index, passed, this.#events.messageIdOf(call));
      case "sendMessageToBusiness":
        return this.#threads.widget(choices, call, index, passed);
      case "getCustomerThreadDetails":
        return this.#threads.details(choices, call, index, passed);
      case "getWhatsappTemplates":
        return this.#threads.templates(choices, call, index, passed);
      case "updateThreadStatus":
        return this.#threads.status(choices, call, index, passed);
      case "createWebhook":
      case "updateHookUrl":
        return this.#webhooks.create(choices, call, index, passed, call.operation === "updateHookUrl");
      case "listWebhooks":
        return this.#webhooks.list(choices, call);
      case "graphql":
        return this.#webhooks.graphql(choices, call, index, passed);
      default:
        return this.#webhooks.one(choices, call, index, passed);
    }
  }

  #delivery(delivery: Exchange, index: number): void {
    const problem = this.#events.problem(delivery);
    if (problem !== undefined) this.#conclusions.accuse(index, problem);
    else
      this.#explain(
        index,
        worldsOf((choices) => this.#events.mismatch(choices, delivery) ?? { fit: 0 }),
      );
    this.#threads.heard(delivery);
  }

  /** Keeps the worlds that explain an exchange: if some do word by word, only those. */
  #explain(index: number, worlds: readonly Played<Match | Mismatch>[] | undefined): void {
    if (worlds === undefined) return this.#conclusions.leave(index, TOO_MANY);
    const explained = worlds.flatMap(({ world, result }) => (isMatch(result) ? [{ world, result }] : []));
    if (explained.length === 0) return this.#unexplained(index, worlds as readonly Played<Mismatch>[]);
    const fit = Math.max(...explained.map(({ result }) => result.fit));
    const kept = explained.filter(({ result }) => result.fit === fit);
    const success = kept.find(({ result }) => result.isSuccess)?.result.form;
    if (success !== undefined) this.#conclusions.addSuccess(index, success);
    this.#possibilities.add(
      index,
      kept.map(({ world, result: { form, isSuccess } }) =>
        form === undefined || isSuccess ? world : [...world, [form.key, form]],
      ),
    );
  }

  /** A contradiction where the specification rules out every world, otherwise an open question. */
  #unexplained(index: number, worlds: readonly Played<Mismatch>[]): void {
    const all = worlds.map(({ result }) => result);
    // A check that may refuse a call also may not: what counts are the worlds that take it, if there are any.
    const taking = all.filter(({ isRefusal }) => isRefusal !== true);
    const mismatches = taking.length > 0 ? taking : all;
    const bySpecification = mismatches.filter(({ section }) => section !== undefined);
    const isTaken = isAccepted(this.trace[index] as Exchange);
    const isAgainst = isTaken ? bySpecification.length > 0 : bySpecification.length === mismatches.length;
    const [first] = isAgainst ? bySpecification : mismatches.filter(({ section }) => section === undefined);
    if (first === undefined) return;
    if (isAgainst) this.#conclusions.accuse(index, first);
    else this.#conclusions.leave(index, first.reason);
  }
}

/** What of an answer contradicts the specification in every world. */
function problemOf(call: Exchange): Mismatch | undefined {
  const operation = operationOf(call.operation);
  if (operation === undefined) return undefined;
  const { status, response } = call.message;
  // Where the specification shows a body, one that is not JSON is another one.
  const isOther = status >= 200 && status < 300 && response.value === undefined;
  if (!isAccepted(call) && !isOther) {
    if (operation.id === "deleteUserByEmail") return misplacedText(call, DOCUMENTED_DELETIONS);
    return operation.id === "sendMessageToBusiness" ? misplacedText(call, [FOREIGN_BUSINESS]) : undefined;
  }
  if (typeof operation.success === "string") return undefined;
  const { section } = operation;
  const found = formProblem(operation.success, response.value);
  if (found !== undefined) return { ...found, section, reason: "" };
  const { customerChannel } = shownIn(call);
  const isUpper = typeof customerChannel !== "string" || customerChannel === customerChannel.toUpperCase();
  if (isUpper) return undefined;
  const ofThread = "Resources and their fields / Customer thread";
  return mismatch("body.customerChannel", customerChannel.toUpperCase(), customerChannel, ofThread);
}

/** Why an accepted call cannot be judged: the table has answers with JSON only. Where the specification shows the answer, it is wrong. */
function notJson({ message: { status, response }, operation }: Exchange): string | undefined {
  const isDocumented = typeof operationOf(operation)?.success === "object";
  return status < 400 && response.value === undefined && !isDocumented ? NOT_JSON : undefined;
}

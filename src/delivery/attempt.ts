import type { BehaviourValues } from "../behaviour/table.js";
import { later } from "../kernel/realtime.js";
import type { Attempt } from "../sandbox/deliveries.js";
import type { FaultAction } from "../sandbox/faults.js";
import type { OutboundRequest, Outcome } from "./call.js";
import type { Sender } from "./sender.js";

/** What an attempt comes to. */
export interface Result {
  /** One for each request; none where nothing was sent. */
  readonly attempts: readonly Attempt[];
  readonly delivered: boolean;
  /** Why there will be no other attempt, where a fault has ended the delivery. */
  readonly dropped: string | null;
}

/** What is to be tried. */
export interface AttemptOptions {
  readonly fault: FaultAction | undefined;
  readonly success: BehaviourValues["delivery.success"];
  /** The world's time, ms. */
  readonly now: () => number;
  /** Made when it is sent. */
  readonly letter: () => OutboundRequest;
}

const nothing = (): void => {};

/** How a trial that is under way is given up; its result is never told then. */
export type Abort = () => void;

/** Tries once, with whatever a fault does to it, and calls `done` with what came of it, perhaps at once. */
export function attempt(trial: AttemptOptions, sender: Sender, done: (result: Result) => void): Abort {
  const { fault } = trial;
  if (fault === undefined) return send(trial, sender, done);
  if (fault.drop === "before") {
    done({ attempts: [], delivered: false, dropped: `never sent: fault ${fault.rule}` });
    return nothing;
  }
  const go = (): Abort =>
    isAnswered(fault) ? stubbedResponse(trial, fault, done) : sendMany(trial, fault, sender, done);
  if (fault.delayMs === 0) return go();
  let abandon: Abort = nothing;
  const delay = later(fault.delayMs, () => {
    abandon = go();
  });
  abandon = () => delay.cancel();
  return () => abandon();
}

function send(trial: AttemptOptions, sender: Sender, done: (result: Result) => void): Abort {
  const at = trial.now();
  const call = sender.send(trial.letter(), (outcome) =>
    done({
      attempts: [attemptOf(at, outcome)],
      delivered: isSuccess(outcome, trial.success),
      dropped: null,
    }),
  );
  return () => call.abandon();
}

/** Whether the fault answers in place of the receiver. */
const isAnswered = ({ status, body }: FaultAction): boolean => status !== undefined || body !== undefined;

function stubbedResponse(
  { now, success }: AttemptOptions,
  fault: FaultAction,
  done: (result: Result) => void,
): Abort {
  const { status = 200, body = null } = fault;
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  const answered = { status, durationMs: 0, error: null, responseBody: body === null ? "" : responseBody };
  done(resultOf([{ at: now(), ...answered }], isSuccess({ ...answered, stage: null }, success), fault));
  return nothing;
}

/** Sends the letter and its duplicates at the same moment; it is delivered when one of them is. */
function sendMany(
  trial: AttemptOptions,
  fault: FaultAction,
  sender: Sender,
  done: (result: Result) => void,
): Abort {
  const at = trial.now();
  const letter = trial.letter();
  const attempts: Attempt[] = [];
  let delivered = false;
  const count = 1 + (fault.duplicate ?? 0);
  const calls = Array.from({ length: count }, () =>
    sender.send(letter, (outcome) => {
      attempts.push(attemptOf(at, outcome));
      delivered ||= isSuccess(outcome, trial.success);
      if (attempts.length === count) done(resultOf(attempts, delivered, fault));
    }),
  );
  return () => {
    for (const call of calls) call.abandon();
  };
}

function resultOf(attempts: readonly Attempt[], delivered: boolean, { drop, rule }: FaultAction): Result {
  if (drop !== "after") return { attempts, delivered, dropped: null };
  const error = `the answer was ignored: fault ${rule}`;
  return {
    attempts: attempts.map((made) => ({ ...made, status: null, error, responseBody: null })),
    delivered: false,
    dropped: error,
  };
}

const attemptOf = (at: number, { status, durationMs, error, responseBody }: Outcome): Attempt => ({
  at,
  status,
  durationMs,
  error,
  responseBody,
});

/** Whether an answer counts as success (behaviour `delivery.success`). */
export function isSuccess({ status, error }: Outcome, success: BehaviourValues["delivery.success"]): boolean {
  if (status === null || error !== null) return false;
  return success === "2xx" ? status >= 200 && status < 300 : success.includes(status);
}

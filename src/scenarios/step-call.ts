/** Control calls as steps state them: once, for the runner, and for recordings, which go the other way. */
import { segment } from "../client/address.js";
import type { Method } from "../client/http.js";

type Fields = Readonly<Record<string, unknown>>;

/** The control call that a step is. What is not in its path is its body. */
export interface StepCall {
  /** Method and path below `/__sim`; `:key` stands for that key of the step. */
  readonly route: `${Method} /${string}`;
  /** The fields of the body that the step has another word for, by the step's. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The key of the step that is the body as a whole. */
  readonly body?: string;
  /** What the outcome is called; left out: `outcome`. */
  readonly noun?: string;
}

const PARAM = /:(\w+)/g;

/** The parts of a run that the call of a step needs. */
interface Sender<Outcome> {
  threadId(named: string | number | undefined): string;
  control(method: Method, path: string, body?: unknown): Promise<Outcome>;
}

/** Makes the call of a step. @throws SimError when it is refused */
export function sendStep<Outcome>(context: Sender<Outcome>, call: StepCall, input: object): Promise<Outcome> {
  const [method, path] = call.route.split(" ") as [Method, string];
  const left: Record<string, unknown> = { ...input };
  const filled = path.replace(PARAM, (_, key: string) => {
    const value = left[key] as string | number;
    delete left[key];
    return segment(key === "thread" ? context.threadId(value) : value);
  });
  return context.control(method, filled, call.body === undefined ? bodyOf(call, left) : left[call.body]);
}

function bodyOf({ fields = {} }: StepCall, input: Fields): Fields | undefined {
  const entries = Object.entries(input).map(([key, value]) => {
    const field = fields[key];
    // A scenario may write an id as a number; the control API takes a text.
    return [field ?? key, typeof value === "number" && field?.endsWith("Id") ? String(value) : value];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The keys of a step whose call a method and path are, with their values; undefined where they are another call. */
export function paramsIn({ route }: StepCall, call: string): Readonly<Record<string, string>> | undefined {
  const keys = [...route.matchAll(PARAM)].map(([, key = ""]) => key);
  const values = new RegExp(`^${route.replace(PARAM, "([^/]+)")}$`).exec(call)?.slice(1);
  return (
    values && Object.fromEntries(keys.map((key, index) => [key, decodeURIComponent(values[index] ?? "")]))
  );
}

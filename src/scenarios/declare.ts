/** Declares kinds of steps: each once, with its description, its schema, what it is and what it does. */
import type { Method } from "../client/http.js";
import { omitUndefined } from "../kernel/objects.js";
import type { Infer, ObjectOut, Schema } from "../kernel/schema.js";
import { segment } from "../protocol/names.js";
import type { Outcome } from "./report.js";
import type {
  Fields,
  ParsedStep,
  Properties,
  Ran,
  StepCall,
  StepEngine,
  StepKind,
  StepResult,
} from "./step.js";

type Input<L extends Schema, B extends Properties> = Infer<L> & Partial<ObjectOut<B>>;

/** What a step does: a call with what follows, or anything else. */
type Work<I> =
  | {
      readonly call: StepCall;
      readonly after: (context: StepEngine, input: I, outcome: Outcome) => StepResult | Promise<StepResult>;
    }
  | {
      readonly call?: StepCall;
      readonly run: (context: StepEngine, input: I, step: ParsedStep) => Ran | Promise<Ran>;
    };

/** Declares a kind of step. The schemas type the input of its functions. */
export function step<L extends Schema, const B extends Properties = Record<never, never>, Short = never>(
  declared: Omit<StepKind<Input<L, B>>, "short" | "long" | "siblingKeys" | "call" | "run"> & {
    /** What stands for an object: the value of one of its keys, or another form. */
    readonly short?:
      | (keyof Infer<L> & string)
      | { readonly schema: Schema<Short>; readonly long: (short: Short) => Infer<L> };
    readonly long: L;
    readonly siblingKeys?: B;
  } & Work<Input<L, B>>,
): StepKind {
  const { short: key, long } = declared;
  const short =
    typeof key === "string"
      ? { schema: long.properties?.[key], long: (value: unknown) => ({ [key]: value }) }
      : key;
  const run = "run" in declared ? declared.run : calling(declared);
  // The reader checks every input against these schemas before it calls one of the functions.
  return { ...declared, ...omitUndefined({ short }), run } as unknown as StepKind;
}

const calling =
  <I extends object>({ call, after }: Extract<Work<I>, { readonly after: unknown }>) =>
  async (context: StepEngine, input: I): Promise<StepResult> => {
    const outcome = await sendStep(context, call, input);
    return { outcome, ...(await after(context, input, outcome)) };
  };

const PARAM = /:(\w+)/g;

interface Sender<Outcome> {
  threadId(named: string | number | undefined): string;
  control(method: Method, path: string, body?: unknown): Promise<Outcome>;
}

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

/** The parameters in `METHOD /path`; undefined if it is another call. */
export function paramsIn({ route }: StepCall, call: string): Readonly<Record<string, string>> | undefined {
  const keys = [...route.matchAll(PARAM)].map(([, key = ""]) => key);
  const values = new RegExp(`^${route.replace(PARAM, "([^/]+)")}$`).exec(call)?.slice(1);
  return (
    values && Object.fromEntries(keys.map((key, index) => [key, decodeURIComponent(values[index] ?? "")]))
  );
}

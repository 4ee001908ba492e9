/** Actions on a sandbox by hand: each is a call of the control API, as a command and as a tool for assistants. */
import { SimClient } from "../client/client.js";
import type { Transport } from "../client/transport.js";
import { controlApi } from "../client/transport.js";
import { omitUndefined } from "../kernel/objects.js";
import { printable, printableIn } from "../kernel/printable.js";
import type { Infer, Schema } from "../kernel/schema.js";
import { problemsBySchema } from "../kernel/schema-problems.js";
import { SERVE_OPTIONS } from "../server/config/options.js";
import {
  asText,
  type Command,
  type CommandGroup,
  type CommandHelp,
  type CommandOption,
  command,
  controlToken,
  flag,
  readPairs,
  simulatorAddress,
  type Values,
  withDefault,
} from "./command.js";
import { FAILED, OK, refuse } from "./terminal.js";

/** The sandbox that a person or an assistant works with. */
export interface Session {
  readonly client: SimClient;
  /** Its routes. */
  readonly api: Transport;
  readonly sandbox: string;
}

/** Which route an action calls, how its arguments become the input, and how its outcome is put in words. */
export interface Action<S extends Schema = Schema, T = unknown> {
  readonly does: string;
  /** An object: the arguments. */
  readonly input: S;
  /** It changes nothing. */
  readonly readOnly?: true;
  call(session: Session, given: Infer<S>): Promise<T>;
  says(outcome: T, given: Infer<S>): string;
}

export const action = <S extends Schema, T>(declared: Action<S, T>): Action => declared as Action;

/** An action that is also a command. */
export interface ByHand<S extends Schema = Schema, T = unknown>
  extends Action<S, T>,
    Pick<CommandHelp, "examples"> {
  readonly group: CommandGroup;
  /** The arguments that are no options, in yargs' notation. */
  readonly positionals?: string;
  /** What `after` compares with. */
  before?(session: Session): Promise<string>;
  /** Its words are read by programs, too: no text in them is escaped. */
  readonly isExact?: true;
  /** What happened afterwards, as lines. */
  after?(session: Session, outcome: T, given: Infer<S>, before?: string): Promise<readonly string[]>;
  /** Why the exit code is 1. */
  readonly failure?: { readonly when: string; is(outcome: T): boolean };
}
export const byHand = <S extends Schema, T>(declared: ByHand<S, T>): ByHand => declared as ByHand;

const DEFAULT_URL = `http://${SERVE_OPTIONS.host.default}:${SERVE_OPTIONS.port.default}`;

export const REMOTE = {
  url: simulatorAddress(DEFAULT_URL),
  sandbox: withDefault("the sandbox", asText, "default"),
  "control-token": controlToken("the simulator's control token"),
  json: flag("print the response as JSON"),
};

export const sessionOf = (remote: Omit<Values<typeof REMOTE>, "json">): Session => ({
  client: new SimClient(remote),
  api: controlApi(remote.url, remote).ofSandbox(remote.sandbox),
  sandbox: remote.sandbox,
});

/** The exit codes of commands that make a call. */
const CALL_EXITS = {
  0: "the call succeeded",
  2: "the simulator refused the call or does not respond, or an option or argument is invalid",
};

/** The command for an action: it prints the outcome in words or as JSON. */
export function commandFor(name: string, act: ByHand): Command {
  const { group, positionals = "", does: description, input, examples, failure } = act;
  const isArgument = (field: string) => new RegExp(`[<[]${field}\\b`).test(positionals);
  const fields = Object.entries(input.properties ?? {});
  const options = Object.fromEntries(
    fields.map(([field, schema]) => [field, optionFor(schema, isArgument(field))]),
  );
  const module = command({
    options: { ...options, ...REMOTE },
    examples,
    exits: failure === undefined ? CALL_EXITS : { ...CALL_EXITS, 1: failure.when },
    run: async (read, terminal) => {
      const values = read as Values<typeof REMOTE> & Readonly<Record<string, unknown>>;
      const given = omitUndefined(Object.fromEntries(fields.map(([field]) => [field, values[field]])));
      const problems = problemsBySchema(input, given).map((one) =>
        isArgument(one.path) ? one : { ...one, path: `--${one.path}` },
      );
      if (problems.length > 0) return refuse(terminal, problems);
      const session = sessionOf(values);
      const before = await act.before?.(session);
      const outcome = await act.call(session, given);
      const words = () => act.says(act.isExact ? outcome : printableIn(outcome), given);
      terminal.out(`${values.json ? printable(JSON.stringify(outcome)) : words()}\n`);
      const lines = values.json ? [] : ((await act.after?.(session, outcome, given, before)) ?? []);
      for (const line of lines) terminal.out(`  ${printable(line)}\n`);
      return failure?.is(outcome) ? FAILED : OK;
    },
  });
  return { name, positionals, description, group, load: async () => module };
}

/** The option or argument for a field: a switch, `key=value` pairs, a number, or text. */
function optionFor({ type, description = "" }: Schema, isArgument: boolean): CommandOption {
  const declared = { type: type === "boolean" ? "boolean" : "string", describe: description } as const;
  const valueIn = (texts: readonly string[]): unknown => {
    if (type === "boolean") return texts.at(-1) === "true";
    if (type === "object") return readPairs(texts);
    const text = texts.join(" ");
    return type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
  };
  return {
    declared,
    ...(isArgument && { positional: true }),
    read: (texts) => (texts.length === 0 ? undefined : valueIn(texts)),
  };
}

import { readFile } from "node:fs/promises";
import { reasonOf } from "../kernel/errors.js";
import { isObject } from "../kernel/json.js";
import { maskedAddress } from "../kernel/masking.js";
import { fromKeys } from "../kernel/objects.js";
import { loadPackage } from "../kernel/packages.js";
import { printable } from "../kernel/printable.js";
import { resolveServeUrl } from "../server/config/serve.js";
import type { Flags } from "../server/config/sources.js";
import {
  type Args,
  addressIn,
  baseAddress,
  type CommandOption,
  command,
  numberIn,
  optional,
} from "./command.js";
import { readCommandLine } from "./program.js";
import { SERVE_FLAGS, SOURCES } from "./serve.js";
import { FAILED, OK, refuse, type Terminal } from "./terminal.js";

/** The time limit for everything, real time; the image's own check waits slightly longer. */
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 65_536;

/** The options of `serve` that determine its address; health accepts the others too, but its help omits them. */
const WHERE: readonly string[] = ["port", "host", "config", "tls-cert", "self-signed"];

const OWN_OPTIONS = Object.fromEntries(
  Object.entries(SERVE_FLAGS).map(([name, option]: [string, CommandOption]) => [
    name,
    WHERE.includes(name) ? option : { ...option, declared: { ...option.declared, hidden: true } },
  ]),
) as typeof SERVE_FLAGS;

/** `messaging-sim health`: checks the simulator that `serve` starts with the same options, or the one at `--url`. */
export const HEALTH = command({
  options: {
    ...OWN_OPTIONS,
    url: optional(
      "address of the simulator (default: MESSAGING_SIM_URL, unless options of serve are given)",
      baseAddress,
    ),
    pid: optional(
      "id of a process running serve (Linux), whose options are used",
      numberIn("a process id", 1, 9_999_999_999),
    ),
  },
  epilogue: SOURCES,
  examples: {
    "messaging-sim health": "the simulator on the default address",
    "messaging-sim health --url http://127.0.0.1:4020": "a simulator at another address",
  },
  exits: { 0: "the simulator is up", 1: "it is not", 2: "an option is unusable" },
  run: async ({ url, pid }, terminal, flags) => {
    const isNamed = pid !== undefined || Object.keys(SERVE_FLAGS).some((name) => flags[name]?.length);
    const address = url ?? (isNamed ? undefined : addressIn(terminal.env));
    if (address !== undefined) return report(address, terminal);
    const others: Args = pid === undefined ? {} : await flagsOf(pid);
    // The last of several texts wins, so options given here override those of the process.
    const all = fromKeys(Object.keys(SERVE_FLAGS), (name) => [
      ...(others[name] ?? []),
      ...(flags[name] ?? []),
    ]);
    const resolved = await resolveServeUrl(all, terminal.env, (file) => readFile(file, "utf8"));
    return resolved.problems === undefined
      ? report(resolved.url.replace(/\/+$/, ""), terminal)
      : refuse(terminal, resolved.problems);
  },
});

/** The options that a process was started with; none if it is not ours, or if they are unknown. */
async function flagsOf(pid: number): Promise<Flags> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const words = line.replace(/\0$/, "").split("\0");
  const program = words.findIndex((word) => /(^|\/)(main\.js|messaging-sim)$/.test(word));
  if (program < 0) return {};
  const [first = "", ...rest] = words.slice(program + 1);
  return readServeFlags(first === "serve" ? rest : first.startsWith("-") ? [first, ...rest] : []);
}

async function report(address: string, { out, err }: Terminal): Promise<number> {
  const url = maskedAddress(address);
  const { Agent, request } = loadPackage<typeof import("undici")>("undici");
  // The health route is open, so no token is sent, and no certificate needs to be trusted.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, maxResponseSize: MAX_ANSWER_BYTES });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await request(`${address}/__sim/health`, { dispatcher, signal });
    const status = answer.statusCode;
    const body = await answer.body.json().catch(() => undefined);
    // Restarting a simulator that cannot write would lose its unsaved changes, so it counts as healthy, too.
    if (status === 200 && isObject(body) && (body.status === "ok" || body.status === "degraded")) {
      const { failure = "" } = isObject(body.store) ? body.store : {};
      const why = body.status === "ok" ? "" : ` (changes cannot be saved: ${failure})`;
      out(`${printable(`${body.status}: messaging-sim ${body.version} at ${url}${why}`)}\n`);
      return OK;
    }
    err(`${printable(url)} answers ${status}, but not as a healthy messaging-sim\n`);
  } catch (error) {
    err(`${printable(`${url} does not respond: ${reasonOf(error)}`)}\n`);
  } finally {
    await dispatcher.destroy();
  }
  return FAILED;
}

/** The flags on a command line of `serve`. @throws UnusableDocument */
export async function readServeFlags(words: readonly string[]): Promise<Flags> {
  const module = command({ options: SERVE_FLAGS, examples: {}, exits: {}, run: async () => OK });
  const serve = { name: "serve", positionals: "", description: "", load: async () => module };
  return (await readCommandLine([serve], ["serve", ...words]))?.args ?? {};
}

import type { BehaviourValues, ProfileName } from "../behaviour/table.js";
import type { TlsFiles } from "../http/server.js";
import { keysOf } from "../kernel/keys.js";
import type { LoadLimits } from "../kernel/load-bounds.js";
import type { Logger } from "../kernel/logger.js";
import { keyProblemAt, UnusableDocument } from "../kernel/problems.js";
import { unknownKey } from "../kernel/words.js";
import type { FaultInput } from "../sandbox/faults.js";
import type { Durability } from "../store/port.js";
import type { FixtureInput } from "../world/fixture.js";

/** How a simulator is started. Everything has a default; see `messaging-sim serve --help`. */
export interface SimulatorOptions {
  /** 0, the default here: any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** A fixture document, or the path of a fixture file; default: the fixture that ships. */
  readonly fixtures?: FixtureInput | string;
  /** The path of a bundle: the sandbox that it shows is opened as it was taken. Not beside `fixtures` or `data`. */
  readonly bundle?: string;
  /** A folder that keeps every sandbox over restarts, or the address of a server that several share; default: state is in memory. */
  readonly data?: string;
  /** When a change is safe in `data`: within 100 ms, or when its call is answered; default: batched. */
  readonly durability?: Durability;
  /** Where `data` is a server: a sandbox that nobody has called for so long is closed, and opened by the next call; default: 10m. */
  readonly closeIdle?: string;
  /** A profile, the path of a file of behaviour keys, or values over the profile `documented`. */
  readonly behaviour?: ProfileName | (string & {}) | Partial<BehaviourValues>;
  /** Refuse what the specification does not promise. */
  readonly strict?: boolean;
  /** Single values over all others. */
  readonly set?: Partial<BehaviourValues>;
  /** Decides every id and chance; default: 1. */
  readonly seed?: number | string;
  /** Freeze the clock at this instant, ISO or ms. */
  readonly clock?: string | number;
  /** The bearer token of the control API; without one it is open on loopback. */
  readonly controlToken?: string | false;
  readonly allowHosts?: readonly string[];
  readonly allowOutbound?: readonly string[];
  readonly rewriteHosts?: readonly { readonly from: string; readonly to: string }[];
  /** Certificate and key, each in PEM or the path of a PEM file: serve HTTPS. */
  readonly tls?: TlsFiles;
  /** A certificate authority, in PEM or the path of a PEM file, that webhook receivers are checked against. */
  readonly webhookCa?: string;
  readonly webhookInsecureTls?: boolean;
  /** Journal entries, deliveries and warnings kept in each sandbox; default: 10,000. */
  readonly journalLimit?: number;
  /** What journals, logs, sinks and worlds may take together, such as `512MiB`; default: half of the heap's limit. */
  readonly memory?: string;
  /** What the simulator does at once; for what is left out the table of bounds holds. */
  readonly bounds?: Partial<LoadLimits>;
  /** Faults that are armed from the start: each spelled out, or the path of a file of faults. */
  readonly faults?: readonly (FaultInput | string)[];
  readonly logger?: Logger;
  /** Log a line for each call, at level debug. */
  readonly logCalls?: boolean;
}

/** What of a start can be loaded anew. `behaviour`, `strict` and `set` belong together: those left out are as before. */
export type LoadOptions = Pick<SimulatorOptions, "fixtures" | "behaviour" | "strict" | "set" | "faults">;

/** Those options, and what each decides. */
export const LOAD_OPTIONS = {
  fixtures: "fixtures",
  behaviour: "behaviour",
  strict: "behaviour",
  set: "behaviour",
  faults: "faults",
} as const satisfies Record<keyof LoadOptions, "fixtures" | "behaviour" | "faults">;

/** Every option once; the compiler misses one that is left out. */
export const OPTIONS: Readonly<Record<keyof SimulatorOptions, true>> = {
  port: true,
  host: true,
  fixtures: true,
  bundle: true,
  data: true,
  durability: true,
  closeIdle: true,
  behaviour: true,
  strict: true,
  set: true,
  seed: true,
  clock: true,
  controlToken: true,
  allowHosts: true,
  allowOutbound: true,
  rewriteHosts: true,
  tls: true,
  webhookCa: true,
  webhookInsecureTls: true,
  journalLimit: true,
  memory: true,
  bounds: true,
  faults: true,
  logger: true,
  logCalls: true,
};

/** @throws UnusableDocument that names every option that does not exist */
export function refuseUnknownOptions(options: object, known: object): void {
  const problems = Object.keys(options)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => keyProblemAt([name], unknownKey("option", name, keysOf(known))));
  if (problems.length > 0) throw new UnusableDocument(problems);
}

/** The options of `serve`, each declared once: flags, variables, config file, help, library options and docs derive from it. */

import type { Logger } from "../../kernel/errors.js";
import type { TlsFiles } from "../../kernel/http/server.js";
import type { ProfileName } from "../../kernel/names.js";
import { keysOf } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import {
  anyOf,
  array,
  boolean,
  type Infer,
  integer,
  object,
  oneOf,
  optional,
  type Schema,
  string,
} from "../../kernel/schema.js";
import { type FaultInput, faultSchema } from "../../sandbox/faults.js";
import { type BehaviourValues, behaviourSchema } from "../../service/behaviour/table.js";
import type { FixtureInput } from "../../service/world/records.js";
import { DURABILITIES, type Durability } from "../../storage/port.js";
import { checkBehaviour, checkFaults } from "./files.js";

export const DEFAULT_JOURNAL_LIMIT = 1_000;

/** One option of `serve`: its flag, its environment variable and its key in the config file derive from it. */
export interface Option<T = unknown> {
  readonly group: "Serving" | "World" | "Behaviour" | "Webhooks" | "Records and logs" | "Configuration";
  /** The description, for `--help` and the reference. */
  readonly description: string;
  /**
   * Its value in a config file. Flags and variables are texts that are converted to such a value: a number, true or false, the
   * items of an array, the `key=value` pairs of an object.
   */
  readonly schema: Schema<T>;
  /** The default: a value, or words for it. */
  readonly default?: string | number;
  /** The value, or each of its items, is a file name; in a config file, relative to that file. */
  readonly file?: boolean;
  /** `file`: only a key of the config file. `outside`: not in the config file. */
  readonly only?: "file" | "outside";
  /** Its name in the library, if it is not its own in camelCase; null: not in the library. */
  readonly library?: string | null;
  /** Validates what a schema cannot express, in place of the schema. */
  readonly check?: (value: unknown) => Promise<readonly Problem[]>;
}

const option = <const O extends Option>(declared: O): O => declared;
const file = () => string({ minLength: 1 });
const IPV6 = String.raw`\[?[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f.:]*\]?`;
const hostName = () =>
  string({ pattern: "^[A-Za-z0-9._:%\\[\\]-]+$", "x-form": "a host name or an IP address" });

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_FORMATS = ["pretty", "json"] as const;

/** All options of `serve`. Nothing else reads flags, environment or config file. */
export const SERVE_OPTIONS = {
  port: option({
    group: "Serving",
    description: "Port to listen on; 0 picks a free one",
    schema: integer({ minimum: 0, maximum: 65_535 }),
    default: 4020,
  }),
  host: option({
    group: "Serving",
    description: "Address to listen on",
    schema: hostName(),
    default: "127.0.0.1",
  }),
  "tls-cert": option({
    group: "Serving",
    description: "Certificate for HTTPS (PEM file); requires --tls-key",
    schema: file(),
    file: true,
    library: "tls",
  }),
  "tls-key": option({
    group: "Serving",
    description: "Private key of the certificate (PEM file)",
    schema: file(),
    file: true,
    library: "tls",
  }),
  "self-signed": option({
    group: "Serving",
    description:
      "Serve HTTPS with a certificate made for this run; covers localhost, loopback, --host and each --allow-host; prints the path of its CA file",
    schema: boolean(),
    default: "off",
    library: null,
  }),
  "control-token": option({
    group: "Serving",
    description:
      "Bearer token that protects the control API; off disables it, even on a non-loopback address",
    schema: string({ pattern: "^[!-~]+$", "x-form": "printable ASCII without spaces" }),
    default: "none on a loopback address, otherwise generated and printed",
  }),
  "allow-host": option({
    group: "Serving",
    description:
      "Host name to accept from browsers and, if no token protects the control API, from its clients (repeatable)",
    schema: array(hostName()),
    library: "allowHosts",
  }),
  fixtures: option({
    group: "World",
    description:
      "Fixture file to start from; `empty`: one organization, business, user and token, nothing else",
    schema: file(),
    default: "the built-in fixture",
    file: true,
  }),
  data: option({
    group: "World",
    description:
      "Folder that keeps every sandbox across restarts, or a server (valkey://HOST:PORT/DB, also valkeys, redis, rediss) shared by several processes; --fixtures applies to new sandboxes",
    schema: string({ minLength: 1 }),
    default: "none; state stays in memory",
    file: true,
  }),
  durability: option({
    group: "World",
    description:
      "When a change is saved to --data: batched, within 100 ms; strict, before the response is sent",
    schema: oneOf(DURABILITIES),
    default: "batched",
  }),
  watch: option({
    group: "World",
    description:
      "Reload the fixture and behaviour files when they change, and reset the sandboxes that started from them",
    schema: boolean(),
    default: "off",
    library: null,
  }),
  seed: option({
    group: "World",
    description: "Seed of ids and randomness: a number or any text",
    schema: anyOf([integer({ minimum: 0 }), string({ minLength: 1 })]),
    default: 1,
  }),
  clock: option({
    group: "World",
    description:
      "Freeze the clock at this instant (ISO 8601: a date and a time up to 23:59:59.999, with Z, an offset, or neither for UTC)",
    schema: string({ format: "date-time" }),
    default: "real time",
  }),
  behaviour: option({
    group: "Behaviour",
    description: "documented, realistic, or a file of behaviour keys",
    schema: file(),
    default: "documented",
    file: true,
  }),
  set: option({
    group: "Behaviour",
    description: "Set a behaviour key: key=value, with the value in YAML (repeatable)",
    schema: behaviourSchema as Schema<Partial<BehaviourValues>>,
    check: async (value) => (await checkBehaviour(value)).problems ?? [],
  }),
  strict: option({
    group: "Behaviour",
    description: "Refuse requests that rely on undocumented behaviour; --set overrides it",
    schema: boolean(),
    default: "off",
  }),
  fault: option({
    group: "Behaviour",
    description: "File of faults to arm at the start (repeatable)",
    schema: array(file()),
    file: true,
    library: null,
  }),
  faults: option({
    group: "Behaviour",
    description: "Faults to arm at the start",
    schema: array(faultSchema),
    only: "file",
    check: async (value) => checkFaults(value).problems,
  }),
  "allow-outbound": option({
    group: "Webhooks",
    description:
      "Host outside loopback and private networks that deliveries may reach; * allows any host except link-local addresses, which must be listed; cloud metadata addresses are always refused (repeatable)",
    schema: array(
      string({ pattern: `^(\\*|[A-Za-z0-9._-]+|${IPV6})$`, "x-form": "a host name, an IP address or *" }),
    ),
  }),
  "rewrite-host": option({
    group: "Webhooks",
    description: "FROM=TO: deliver to host TO when a webhook names host FROM (repeatable)",
    schema: array(
      string({ pattern: "^[^=/\\s]+=[^=/\\s]+$", "x-form": "FROM=TO, each a host or host:port" }),
    ),
    library: "rewriteHosts",
  }),
  "webhook-ca": option({
    group: "Webhooks",
    description: "Certificate authority (PEM file) to verify webhook receivers with",
    schema: file(),
    file: true,
  }),
  "webhook-insecure-tls": option({
    group: "Webhooks",
    description: "Do not verify the certificates of webhook receivers",
    schema: boolean(),
    default: "off",
  }),
  "journal-limit": option({
    group: "Records and logs",
    description: "Journal entries, deliveries and warnings to keep in each sandbox",
    schema: integer({ minimum: 1, maximum: 10_000_000 }),
    default: DEFAULT_JOURNAL_LIMIT,
  }),
  "log-level": option({
    group: "Records and logs",
    description: "Log level; debug logs every call",
    schema: oneOf(LOG_LEVELS),
    default: "info",
    library: null,
  }),
  "log-format": option({
    group: "Records and logs",
    description: "Log format: text lines, or one JSON object per line",
    schema: oneOf(LOG_FORMATS),
    default: "pretty",
    library: null,
  }),
  config: option({
    group: "Configuration",
    description:
      "Config file (YAML or JSON) with the long option names as keys; flags and environment win over it",
    schema: file(),
    file: true,
    only: "outside",
    library: null,
  }),
} as const;

export type OptionName = keyof typeof SERVE_OPTIONS;
export const OPTION_NAMES: readonly OptionName[] = keysOf(SERVE_OPTIONS);

/** The values from all sources, as far as given. */
export type OptionValues = {
  readonly [K in OptionName]?: Infer<(typeof SERVE_OPTIONS)[K]["schema"]>;
};

/** The options available as flags or variables, or as keys of the config file. */
export const namesIn = (source: "file" | "outside"): OptionName[] =>
  OPTION_NAMES.filter((name) => {
    const { only }: Option = SERVE_OPTIONS[name];
    return only === undefined || only === source;
  });

/** A boolean option: as a flag it needs no value. */
export const isSwitch = ({ schema }: Option): boolean => schema.type === "boolean";

/** It can be given more than once. */
export const isRepeatable = ({ schema }: Option): boolean =>
  schema.type === "array" || schema.type === "object";

/** `allow-host` → `MESSAGING_SIM_ALLOW_HOST` */
export const variableOf = (name: string): string =>
  `MESSAGING_SIM_${name.toUpperCase().replaceAll("-", "_")}`;

export type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** `allow-host` → `allowHost` */
export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

/** JSON Schema of a config file: every option of `serve` under its long name. */
export const configSchema: Schema = object(
  {
    $schema: optional(string()),
    ...Object.fromEntries(
      namesIn("file").map((name) => {
        const { schema, description, default: preset }: Option = SERVE_OPTIONS[name];
        const { $schema: _, title: __, ...keywords } = schema;
        const rest = preset === undefined ? "" : `. Default: ${preset}`;
        return [name, optional({ ...keywords, description: `${description}${rest}` })];
      }),
    ),
  },
  { title: "messaging-sim config", $schema: "https://json-schema.org/draft/2020-12/schema" },
);

/** How a simulator is started. Everything has a default; see `messaging-sim serve --help`. */
export interface SimulatorOptions {
  /** Default here: 0, any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** A fixture document, the path of a fixture file, or `empty`; default: the built-in fixture. */
  readonly fixtures?: FixtureInput | string;
  /** A folder that keeps every sandbox over restarts, or the address of a server that several simulators share; default: in memory. */
  readonly data?: string;
  /** When a change is saved in `data`: within 100 ms, or before its call is answered; default: batched. */
  readonly durability?: Durability;
  /** A profile, or values on top of the profile `documented`. */
  readonly behaviour?: ProfileName | Partial<BehaviourValues>;
  /** Refuse what the specification does not promise. */
  readonly strict?: boolean;
  /** Single values, which override all others. */
  readonly set?: Partial<BehaviourValues>;
  /** Determines all generated ids and random choices; default: 1. */
  readonly seed?: number | string;
  /** Freeze the clock at this instant, ISO or ms. */
  readonly clock?: string | number;
  /** The bearer token of the control API; without one it is open on loopback. */
  readonly controlToken?: string | false;
  readonly allowHosts?: readonly string[];
  readonly allowOutbound?: readonly string[];
  readonly rewriteHosts?: readonly { readonly from: string; readonly to: string }[];
  /** Certificate and key in PEM: serve HTTPS. */
  readonly tls?: TlsFiles;
  /** A certificate authority in PEM, for checking webhook receivers. */
  readonly webhookCa?: string;
  readonly webhookInsecureTls?: boolean;
  /** Journal entries, deliveries and warnings to keep in each sandbox; default: 1,000. */
  readonly journalLimit?: number;
  /** Faults in force from the start. */
  readonly faults?: readonly FaultInput[];
  readonly logger?: Logger;
  /** Log a line for each call, at level debug. */
  readonly logCalls?: boolean;
}

type LibraryName<Name extends OptionName = OptionName> = Name extends OptionName
  ? (typeof SERVE_OPTIONS)[Name] extends { readonly library: infer Library }
    ? Exclude<Library, null>
    : CamelCase<Name>
  : never;

/** The name of an option in the library; undefined if it is not in the library. Only compiles if `SimulatorOptions` has them all. */
export function libraryName(name: OptionName): keyof SimulatorOptions | undefined {
  const { library = camelCase(name) }: Option = SERVE_OPTIONS[name];
  return (library as LibraryName | null) ?? undefined;
}

/** All options of the library. */
export const LIBRARY_OPTIONS: readonly string[] = [
  ...new Set(OPTION_NAMES.flatMap((name) => libraryName(name) ?? [])),
  "logger",
  "logCalls",
];

import { type BehaviourValues, behaviourSchema } from "../behaviour/table.js";
import { fromKeys, keysOf } from "../kernel/keys.js";
import { LOAD_BOUNDS } from "../kernel/load-bounds.js";
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
} from "../kernel/schema.js";
import { SIZE } from "../kernel/size.js";
import { faultSchema } from "../sandbox/faults.js";
import { DURABILITIES } from "../store/port.js";
import { checkBehaviour } from "./behaviour.js";
import { checkFaults } from "./faults.js";
import type { Option } from "./option.js";

const option = <const O extends Option>(declared: O): O => declared;
const atLeastOne = () => optional(integer({ minimum: 1 }));
const file = () => string({ minLength: 1 });
const hostName = () =>
  string({ pattern: "^[A-Za-z0-9._:%\\[\\]-]+$", "x-form": "a host name or an IP address" });

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_FORMATS = ["pretty", "json"] as const;

/** Every option of `serve` (contract section 1). Nothing else reads flags, environment or config file. */
export const SERVE_OPTIONS = {
  port: option({
    group: "Serving",
    description: "Port to listen on; 0: any free one",
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
    description: "Certificate (PEM file): serve HTTPS; needs --tls-key",
    schema: file(),
    file: true,
  }),
  "tls-key": option({
    group: "Serving",
    description: "Key of the certificate (PEM file)",
    schema: file(),
    file: true,
  }),
  "self-signed": option({
    group: "Serving",
    description:
      "Serve HTTPS with a certificate made for this run, for localhost, loopback, --host and each --allow-host; prints its CA file",
    schema: boolean(),
    default: "off",
  }),
  "control-token": option({
    group: "Serving",
    description: "Bearer token that the control API asks for; off: none, even when others can reach it",
    schema: string({ pattern: "^[!-~]+$", "x-form": "printable ASCII without spaces" }),
    default: "none on a loopback address, elsewhere a new one that is printed",
  }),
  "allow-host": option({
    group: "Serving",
    description:
      "Host name under which browsers may call the server, and everybody the control API where no token guards it (repeatable)",
    schema: array(hostName()),
  }),
  fixtures: option({
    group: "World",
    description: "Fixture file to start from",
    schema: file(),
    default: "the fixture that ships",
    file: true,
  }),
  bundle: option({
    group: "World",
    description:
      "File that messaging-sim state --bundle wrote: opens it as it was taken; not beside --fixtures or --data",
    schema: file(),
    file: true,
  }),
  data: option({
    group: "World",
    description:
      "Folder that keeps every sandbox over restarts, or server (valkey://HOST:PORT/DB, also valkeys, redis, rediss) that several processes share; --fixtures is the start of those that are not there yet",
    schema: string({ minLength: 1 }),
    default: "none: state is in memory",
    file: true,
  }),
  durability: option({
    group: "World",
    description: "When a change is safe in --data: batched, within 100 ms; strict, when its call is answered",
    schema: oneOf(DURABILITIES),
    default: "batched",
  }),
  "close-idle": option({
    group: "World",
    description:
      "Where --data is a server: close a sandbox that nobody has called for so long; the next call opens it, in any process",
    schema: string({ pattern: "^[1-9][0-9]{0,6}(s|m|h|d)$", "x-form": "a duration from 1s on, such as 10m" }),
    default: "10m",
  }),
  watch: option({
    group: "World",
    description:
      "Load fixture, behaviour, fault and config files anew when they change, into the sandboxes that began with them",
    schema: boolean(),
    default: "off",
  }),
  seed: option({
    group: "World",
    description: "Decides every id and every chance: a number or any text",
    schema: anyOf([integer({ minimum: 0 }), string({ minLength: 1 })]),
    default: 1,
  }),
  clock: option({
    group: "World",
    description:
      "Start with the clock frozen at this instant (ISO 8601: a date and a time up to 23:59:59.999, with Z, an offset, or neither for UTC)",
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
    description: "One behaviour key: key=value, the value in YAML (repeatable)",
    schema: behaviourSchema as Schema<Partial<BehaviourValues>>,
    check: async (value) => (await checkBehaviour(value)).problems ?? [],
  }),
  strict: option({
    group: "Behaviour",
    description: "Refuse what the specification does not promise; --set wins over it",
    schema: boolean(),
    default: "off",
  }),
  fault: option({
    group: "Behaviour",
    description: "File of faults that are armed from the start (repeatable)",
    schema: array(file()),
    file: true,
  }),
  faults: option({
    group: "Behaviour",
    description: "Faults that are armed from the start, spelled out",
    schema: array(faultSchema),
    only: "file",
    check: async (value) => (await checkFaults(value)).problems,
  }),
  "allow-outbound": option({
    group: "Webhooks",
    description:
      "Host outside of loopback and private networks that deliveries may go to; *: any but link-local addresses, which are named by themselves; never metadata addresses of clouds (repeatable)",
    schema: array(
      string({ pattern: "^(\\*|[A-Za-z0-9._:\\[\\]-]+)$", "x-form": "a host name, an IP address or *" }),
    ),
  }),
  "rewrite-host": option({
    group: "Webhooks",
    description: "FROM=TO: deliver to the host TO where a webhook says FROM (repeatable)",
    schema: array(string({ pattern: "^[^=\\s]+=[^=\\s]+$", "x-form": "FROM=TO" })),
  }),
  "webhook-ca": option({
    group: "Webhooks",
    description: "Certificate authority (PEM file) that receivers are checked against",
    schema: file(),
    file: true,
  }),
  "webhook-insecure-tls": option({
    group: "Webhooks",
    description: "Do not check the certificates of receivers",
    schema: boolean(),
    default: "off",
  }),
  "journal-limit": option({
    group: "Records and logs",
    description: "Journal entries, deliveries and warnings kept in each sandbox",
    schema: integer({ minimum: 1, maximum: 10_000_000 }),
    default: 10_000,
  }),
  memory: option({
    group: "Records and logs",
    description:
      "What all records and logs may take together, such as 512MiB; beyond it the oldest entries go",
    schema: string(SIZE),
    default: "half of the heap's limit",
  }),
  bound: option({
    group: "Records and logs",
    description:
      "How much the simulator does at once: name=number, names as in the reference of bounds (repeatable)",
    schema: object(fromKeys(keysOf(LOAD_BOUNDS), atLeastOne)),
  }),
  "log-level": option({
    group: "Records and logs",
    description: "debug adds a line for each call",
    schema: oneOf(LOG_LEVELS),
    default: "info",
  }),
  "log-format": option({
    group: "Records and logs",
    description: "Lines for people, or a JSON object each",
    schema: oneOf(LOG_FORMATS),
    default: "pretty",
  }),
  config: option({
    group: "Configuration",
    description: "File of options (YAML or JSON), keys as the long names; flags and environment win over it",
    schema: file(),
    file: true,
    only: "outside",
  }),
} as const;

export type OptionName = keyof typeof SERVE_OPTIONS;
export const OPTION_NAMES: readonly OptionName[] = keysOf(SERVE_OPTIONS);

/** The values of all sources together: those that were given. */
export type OptionValues = {
  readonly [K in OptionName]?: Infer<(typeof SERVE_OPTIONS)[K]["schema"]>;
};

/** The options that a flag or variable, or a key of the config file, can give. */
export const namesIn = (source: "file" | "outside"): OptionName[] =>
  OPTION_NAMES.filter((name) => {
    const { only }: Option = SERVE_OPTIONS[name];
    return only === undefined || only === source;
  });

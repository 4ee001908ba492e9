/**
 * The rooms of src and their parts. `test/architecture` enforces the table, and docs/architecture.md shows it.
 * The row of a part (`service/domain`) takes precedence over the row of its room.
 */

export interface Layer {
  readonly holds: string;
  /** What no file of the layer has or does. */
  readonly never: string;
  /** The layers that its files may import, besides their own. */
  readonly imports: readonly string[];
  /** Its files may name the types of every other layer: nothing of these is left at run time. */
  readonly importsAllTypes?: boolean;
}

const FOUNDATION = ["protocol", "kernel", "service/world", "kernel/http", "service/behaviour"];
const SANDBOX = [...FOUNDATION, "service/domain", "sandbox"];
const TOOLS = [
  "client",
  "scenarios",
  "scenarios/recording",
  "lab/comparison",
  "lab/challenge",
  "lab/load",
  "lab/proxy",
  "lab/calibrate",
  "server/config",
];
const SIMULATOR = [
  ...SANDBOX,
  "storage",
  "api",
  "lab/coverage",
  "sandbox/delivery",
  "control",
  ...TOOLS,
  "server",
];

/** By folder, or by file where a layer is one file. A folder of `src` that is not listed here does not exist. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  kernel: {
    holds:
      "clock, real time, randomness, durations, schemas, documents with locations, matching, persistent collections",
    never: "HTTP, words of the simulated API, anything that only one caller needs",
    imports: [],
  },
  protocol: {
    holds:
      "names, types and matches that cross a border: what server, client, scenarios and dashboard must say alike",
    never: "parts of Node, rules, state",
    imports: [],
  },
  "service/world": {
    holds: "record schemas, matchable fields, the fixture loader, the state with its indexes",
    never: "rules, HTTP",
    imports: ["protocol", "kernel"],
  },
  "kernel/http": {
    holds: "server, requests and answers, bodies, JSON",
    never: "knowledge of the APIs",
    imports: ["kernel"],
  },
  "service/behaviour": {
    holds: "the table of undocumented behaviour, the two profiles",
    never: "rules",
    imports: ["protocol", "kernel", "service/world"],
  },
  "service/domain": {
    holds: "threads, messages, windows, templates, widget, customers, users, webhooks, events, payloads",
    never: "express, ajv, GraphQL, lowdb, files, status codes",
    imports: ["protocol", "kernel", "service/world", "service/behaviour"],
  },
  sandbox: {
    holds:
      "one world with everything that belongs to it: journal, delivery log, matching, waiting, faults, sinks; the registry",
    never: "rules of the service, routes",
    imports: [...FOUNDATION, "service/domain"],
  },
  storage: {
    holds:
      "where sandboxes are kept beyond the process: from their changes to a folder or a server, and back",
    never: "rules; a list of what changes, which the run tells",
    imports: SANDBOX,
  },
  api: {
    holds: "the simulated API: operation table, order of checks, validation dialect, GraphQL",
    never: "rules, simulator-only routes",
    imports: SANDBOX,
  },
  "lab/coverage": {
    holds: "the rows of the coverage report, and its formats",
    never: "counting, which is done in the run",
    imports: [...SANDBOX, "api"],
  },
  "sandbox/delivery": {
    holds: "from events to webhook calls: outbox, queues, attempts, guard, signatures",
    never: "decisions about events",
    imports: SANDBOX,
  },
  control: { holds: "the routes below `/__sim`", never: "a second copy of a rule", imports: SANDBOX },
  "server/config": {
    holds: "the options of `serve`: defaults < file < environment < flags",
    never: "anything that runs",
    imports: [...SANDBOX, "storage"],
  },
  client: {
    holds: "client of the control API, typed by its table of routes",
    never: "run-time imports of the rest, but for `protocol` and one file without imports",
    imports: ["protocol", "kernel"],
    importsAllTypes: true,
  },
  scenarios: {
    holds: "format, steps, runner, reporters",
    never: "state, except through `client`",
    imports: ["protocol", "kernel", "service/world", "client"],
  },
  "scenarios/recording": {
    holds: "a sandbox's session as a scenario",
    never: "state, except through `client`",
    imports: ["protocol", "kernel", "client", "scenarios"],
  },
  "lab/comparison": {
    holds: "scenarios against two addresses, and their differences",
    never: "state, except through `client`",
    imports: ["protocol", "kernel", "client", "scenarios"],
  },
  "lab/challenge": {
    holds: "scenarios under adverse conditions, and their verdicts",
    never: "state, except through `client`",
    imports: [
      "protocol",
      "kernel",
      "service/world",
      "service/behaviour",
      "lab/coverage",
      "client",
      "scenarios",
    ],
  },
  "lab/load": {
    holds: "many customers at once: arrivals, figures, reports",
    never: "state, except through `client`",
    imports: ["protocol", "kernel", "client", "scenarios"],
  },
  "lab/proxy": {
    holds: "recording of a program's exchanges with the real service, without secrets and personal data",
    never: "a simulator, a field of the service that is personal by a second list",
    imports: [...FOUNDATION, "service/domain", "api"],
  },
  "lab/calibrate": {
    holds:
      "what a recording of the real service, or probes of it, say about the table of undocumented behaviour",
    never: "calls of the real service but for probes, a second copy of a rule",
    imports: [...SANDBOX, "api", "client", "scenarios", "lab/proxy"],
  },
  server: {
    holds: "the composition root",
    never: "logic",
    imports: SIMULATOR,
  },
  "adapters/intercept": {
    holds: "redirection of a program's calls to the simulator",
    never: "knowledge of the simulator",
    imports: ["protocol", "kernel"],
  },
  adapters: {
    holds: "the fixture for vitest, Jest and node:test",
    never: "a copy of what the client does",
    imports: ["client", "server"],
  },
  index: { holds: "the library's exports", never: "anything else", imports: SIMULATOR },
  cli: {
    holds: "flags → call → print",
    never: "anything else",
    imports: [...SIMULATOR, "index"],
  },
};

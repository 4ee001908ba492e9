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

const FOUNDATION = ["kernel", "service/world", "kernel/http", "service/behaviour"];
const SANDBOX = [...FOUNDATION, "service/domain", "sandbox"];
const TOOLS = [
  "client",
  "scenarios",
  "scenarios/recording",
  "lab/comparison",
  "lab/challenge",
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
      "clock, real time, randomness, durations, schemas, documents with locations, matching; names shared by server, client, scenarios and dashboard",
    never: "HTTP, rules of the simulated API, anything with a single caller",
    imports: [],
  },
  "service/world": {
    holds: "record schemas, matchable fields, the fixture loader, the state with its indexes",
    never: "rules, HTTP",
    imports: ["kernel"],
  },
  "kernel/http": {
    holds: "server, requests and answers, bodies, JSON",
    never: "knowledge of the APIs",
    imports: ["kernel"],
  },
  "service/behaviour": {
    holds: "the table of undocumented behaviour, the two profiles",
    never: "rules",
    imports: ["kernel", "service/world"],
  },
  "service/domain": {
    holds: "threads, messages, windows, templates, widget, customers, users, webhooks, events, payloads",
    never: "express, ajv, GraphQL, lowdb, files, status codes",
    imports: ["kernel", "service/world", "service/behaviour"],
  },
  sandbox: {
    holds:
      "one sandbox and everything in it: journal, delivery log, matching, waiting, faults, sinks; the registry",
    never: "rules of the service, routes",
    imports: [...FOUNDATION, "service/domain"],
  },
  storage: {
    holds: "persistence: writes the documents of sandboxes to a folder or a server, and reads them",
    never: "rules, what a document holds",
    imports: SANDBOX,
  },
  api: {
    holds: "the simulated API: operation table, order of checks, validation dialect, GraphQL",
    never: "rules, simulator-only routes",
    imports: SANDBOX,
  },
  "lab/coverage": {
    holds: "the rows of the coverage report, and its formats",
    never: "counting, which is the run's job",
    imports: [...SANDBOX, "api"],
  },
  "sandbox/delivery": {
    holds: "turns events into webhook calls: outbox, queues, attempts, guard, signatures",
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
    never: "run-time imports, except files of `kernel` without imports of node",
    imports: ["kernel"],
    importsAllTypes: true,
  },
  scenarios: {
    holds: "format, steps, runner, reporters",
    never: "state, except through `client`",
    imports: ["kernel", "service/world", "client"],
  },
  "scenarios/recording": {
    holds: "a sandbox's session as a scenario",
    never: "state, except through `client`",
    imports: ["kernel", "client", "scenarios"],
  },
  "lab/comparison": {
    holds: "plays scenarios at two addresses, and finds the behaviour values that explain the differences",
    never: "state, except through `client`; a second copy of a rule",
    imports: ["kernel", "service/world", "service/behaviour", "api", "client", "scenarios"],
  },
  "lab/challenge": {
    holds: "reruns scenarios under adverse conditions and judges the result",
    never: "state, except through `client`",
    imports: ["kernel", "service/world", "service/behaviour", "lab/coverage", "client", "scenarios"],
  },
  server: {
    holds: "the composition root",
    never: "logic",
    imports: SIMULATOR,
  },
  "adapters/intercept": {
    holds: "redirects a program's calls to the simulator",
    never: "knowledge of the simulator",
    imports: ["kernel"],
  },
  adapters: {
    holds: "the fixtures for vitest, Jest, node:test and Playwright, and the container",
    never: "a copy of what the client does",
    imports: ["kernel", "client", "lab/coverage", "server"],
  },
  index: { holds: "the library's exports", never: "anything else", imports: SIMULATOR },
  cli: {
    holds: "flags → call → print",
    never: "anything else",
    imports: [...SIMULATOR, "index"],
  },
};

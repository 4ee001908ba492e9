/** The layers of src: `test/architecture` enforces the table, and docs/architecture.md shows it. */

export interface Layer {
  readonly holds: string;
  /** What no file of the layer has or does. */
  readonly never: string;
  /** The layers that its files may import, besides their own. */
  readonly imports: readonly string[];
  /** Its files may name the types of every other layer: nothing of these is left at run time. */
  readonly importsAllTypes?: boolean;
}

const FOUNDATION = ["kernel", "world", "http", "behaviour"];
const SANDBOX = [...FOUNDATION, "domain", "sandbox"];
const TOOLS = ["client", "scenarios", "recording", "comparison", "challenge", "load", "config"];
const SIMULATOR = [
  ...SANDBOX,
  "store",
  "persistence",
  "api",
  "coverage",
  "delivery",
  "control",
  ...TOOLS,
  "simulator",
];

/** By folder, or by file where a layer is one file. A layer that is not listed here does not exist. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  kernel: {
    holds:
      "clock, real time, randomness, durations, schemas, documents with locations, matching, persistent collections",
    never: "HTTP, words of the simulated API, anything that only one caller needs",
    imports: [],
  },
  world: {
    holds: "record schemas, what a match can name, the fixture loader, the state with its indexes",
    never: "rules, HTTP",
    imports: ["kernel"],
  },
  http: {
    holds: "server, requests and answers, bodies, JSON",
    never: "what is said over it",
    imports: ["kernel"],
  },
  behaviour: {
    holds: "the table of what the specification leaves open, the two profiles",
    never: "rules",
    imports: ["kernel", "world"],
  },
  domain: {
    holds: "threads, messages, windows, templates, widget, customers, users, webhooks, events, payloads",
    never: "express, ajv, GraphQL, lowdb, files, status codes",
    imports: ["kernel", "world", "behaviour"],
  },
  sandbox: {
    holds:
      "one world with everything that belongs to it: journal, delivery log, matching, waiting, faults, sinks; the registry",
    never: "rules of the service, routes",
    imports: [...FOUNDATION, "domain"],
  },
  store: {
    holds: "where sandboxes are kept beyond the process: the port, a folder and a server behind it",
    never: "what a sandbox is",
    imports: ["kernel", "http"],
  },
  persistence: {
    holds: "from the changes of a sandbox to its store, and back",
    never: "rules; a list of what changes, which the run tells",
    imports: [...SANDBOX, "store"],
  },
  api: {
    holds: "the simulated API: operation table, order of checks, validation dialect, GraphQL",
    never: "rules, simulator-only routes",
    imports: SANDBOX,
  },
  coverage: {
    holds: "the rows that a system under test can meet, and for readers which it has",
    never: "counting, which the run does",
    imports: [...SANDBOX, "api"],
  },
  delivery: {
    holds: "from events to webhook calls: outbox, queues, attempts, guard, signatures",
    never: "deciding whether an event happened",
    imports: SANDBOX,
  },
  control: { holds: "the routes below `/__sim`", never: "a second copy of a rule", imports: SANDBOX },
  config: {
    holds: "the options of `serve`: defaults < file < environment < flags",
    never: "anything that runs",
    imports: [...SANDBOX, "store"],
  },
  client: {
    holds: "typed client of the control API",
    never: "run-time imports of the rest, but for one file without imports",
    imports: ["kernel"],
    importsAllTypes: true,
  },
  scenarios: {
    holds: "format, steps, runner, reporters",
    never: "state, except through `client`",
    imports: ["kernel", "world", "client"],
  },
  recording: {
    holds: "a sandbox's session as a scenario",
    never: "state, except through `client`",
    imports: ["kernel", "client", "scenarios"],
  },
  comparison: {
    holds: "scenarios against two addresses, and where the answers differ",
    never: "state, except through `client`",
    imports: ["kernel", "client", "scenarios"],
  },
  challenge: {
    holds: "what is tried with a system under test beyond its scenarios, and whether it held",
    never: "state, except through `client`",
    imports: ["kernel", "world", "behaviour", "client", "scenarios"],
  },
  load: {
    holds: "many customers at once: arrivals, figures, reports",
    never: "state, except through `client`",
    imports: ["kernel", "client", "scenarios"],
  },
  simulator: {
    holds: "the composition root",
    never: "logic",
    imports: SIMULATOR,
  },
  intercept: {
    holds: "calls of a program's hosts, sent to the simulator in their place",
    never: "what the simulator knows",
    imports: ["kernel"],
  },
  "test-runners": {
    holds: "the fixture for vitest, Jest and node:test",
    never: "a copy of what the client does",
    imports: ["client", "simulator"],
  },
  index: { holds: "the library's exports", never: "anything else", imports: SIMULATOR },
  cli: {
    holds: "flags → call → print",
    never: "anything else",
    imports: [...SIMULATOR, "index"],
  },
};

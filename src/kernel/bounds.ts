/** The bounds that users can meet, declared once: the code takes its numbers from here and from `load-bounds.ts`, and the reference its page. */

/** How much of something there may be. */
export interface Bound {
  /** What is counted. */
  readonly what: string;
  readonly limit: number;
  readonly unit?: "bytes" | "ms" | "characters";
  /** What happens beyond it. */
  readonly beyond: string;
}

const CONFLICT = "the call that asks for one more gets 409";
const BAD_REQUEST = "the call is refused with 400";

/** The bounds that nothing changes. */
export const BOUNDS = {
  sandboxes: {
    what: "Sandboxes alive",
    limit: 20_000,
    beyond: `${CONFLICT}: delete some, or give them a ttlMs`,
  },
  snapshots: { what: "Named snapshots of a sandbox", limit: 1_000, beyond: CONFLICT },
  endedRuns: {
    what: "Resets of a sandbox that a snapshot with `logs: true` undoes",
    limit: 12,
    beyond: "older ones come back without their logs",
  },
  faults: { what: "Fault rules of a sandbox", limit: 1_000, beyond: CONFLICT },
  waits: { what: "Open waits of a sandbox", limit: 10_000, beyond: CONFLICT },
  matchCount: {
    what: "How many entries a wait or `verify` asks for",
    limit: 100_000,
    beyond: BAD_REQUEST,
  },
  nearMissEntries: {
    what: "Newest entries of a log among which near misses are looked for",
    limit: 1_000,
    beyond: "older ones are not looked at",
  },
  waitMs: { what: "Length of a wait", limit: 600_000, unit: "ms", beyond: BAD_REQUEST },
  matchValues: {
    what: "Values of a match, and of a payload that a fault changes",
    limit: 10_000,
    beyond: BAD_REQUEST,
  },
  matchDepth: {
    what: "Levels of a match, and of a payload that a fault changes",
    limit: 50,
    beyond: BAD_REQUEST,
  },
  answerUnreadMs: {
    what: "Time for which a client leaves an answer that is sent piece by piece (lists, states) unread",
    limit: 60_000,
    unit: "ms",
    beyond:
      "the connection is closed. Entries of logs and sinks that are evicted in the meantime are left out of the answer",
  },
  streams: { what: "Open event streams of a sandbox", limit: 1_000, beyond: CONFLICT },
  streamUnreadBytes: {
    what: "What the client of a stream has left unread when something new comes",
    limit: 1024 * 1024,
    unit: "bytes",
    beyond: "the stream is closed",
  },
  streamTurnBytes: {
    what: "What a stream is told of one turn of the event loop",
    limit: 16 * 1024 * 1024,
    unit: "bytes",
    beyond: "it is told `{ all: true }`: anything may have changed",
  },
  streamTurnChanges: {
    what: "Changed records that a stream is told of one by one, of one turn",
    limit: 10_000,
    beyond: "it is told `{ all: true }`",
  },
  sinks: {
    what: "Sinks of a sandbox that were called or set",
    limit: 1_000,
    beyond: "the one that went longest without a call or setting is forgotten",
  },
  sinkBodyBytes: { what: "Body of a call to a sink", limit: 1024 * 1024, unit: "bytes", beyond: "413" },
  sinkDelayMs: {
    what: "Delay of a sink",
    limit: 600_000,
    unit: "ms",
    beyond: BAD_REQUEST,
  },
  controlBytes: {
    what: "Body of a control call, and each value of a larger one",
    limit: 1024 * 1024,
    unit: "bytes",
    beyond: "413, and the connection is closed",
  },
  worldBytes: {
    what: "Body of a control call that carries fixtures or a state (larger worlds come with `--fixtures` or `--bundle`)",
    limit: 32 * 1024 * 1024,
    unit: "bytes",
    beyond: "413, and the connection is closed",
  },
  controlKeys: {
    what: "Keys of one object in the body of a control call",
    limit: 10_000,
    beyond: BAD_REQUEST,
  },
  controlDepth: {
    what: "Levels of the body of a control call, fixtures and states apart",
    limit: 64,
    beyond: BAD_REQUEST,
  },
  discardedBytes: {
    what: "What is read and discarded of a body that was refused",
    limit: 64 * 1024 * 1024,
    unit: "bytes",
    beyond: "the connection is closed",
  },
  discardedMs: {
    what: "Time for which a refused body is discarded",
    limit: 5_000,
    unit: "ms",
    beyond: "the connection is closed",
  },
  recordedBytes: {
    what: "Body of a control call that its record shows",
    limit: 1024 * 1024,
    unit: "bytes",
    beyond: "the record shows null in place of it",
  },
  rateWindows: {
    what: "Tokens of a sandbox that `limits.rate` counts",
    limit: 100_000,
    beyond: "the window that began first is forgotten",
  },
  sandboxOpenings: {
    what: "Sandboxes of a store that are read and opened at once",
    limit: 4,
    beyond: "further ones wait, and the calls that open them",
  },
  pending: {
    what: "Pending deliveries of a sandbox",
    limit: 10_000,
    beyond: "a further delivery is dropped, with the reason in the delivery log",
  },
  webhookConcurrency: {
    what: "Deliveries of one webhook under way at once, where `delivery.order` is `none`",
    limit: 64,
    beyond: "further ones wait",
  },
  deliveryCalls: {
    what: "Calls to webhooks of a sandbox under way at once",
    limit: 1_000,
    beyond: "further ones wait, and their timeout starts when they are sent",
  },
  hops: {
    what: "Calls of the simulator that lead to one another, as a webhook that points back at it makes them",
    limit: 5,
    beyond: "a further delivery is blocked, with the reason in the delivery log",
  },
  faultDuplicates: {
    what: "Duplicates that a fault makes of a delivery",
    limit: 100,
    beyond: BAD_REQUEST,
  },
  faultHeaders: {
    what: "Headers that a fault sets",
    limit: 100,
    beyond: BAD_REQUEST,
  },
  faultHeaderCharacters: {
    what: "Header that a fault sets",
    limit: 8_192,
    unit: "characters",
    beyond: BAD_REQUEST,
  },
  faultPayloadCharacters: {
    what: "What a fault changes of a payload, as JSON",
    limit: 65_536,
    unit: "characters",
    beyond: BAD_REQUEST,
  },
  faultCounter: {
    what: "Counters of a fault, such as `times` and `every`",
    limit: 1_000_000_000,
    beyond: BAD_REQUEST,
  },
  answerCharacters: {
    what: "What the delivery log shows of a receiver's answer",
    limit: 4_096,
    unit: "characters",
    beyond: "the rest is cut off",
  },
  answerBytes: {
    what: "What is read of a receiver's answer",
    limit: 65_536,
    unit: "bytes",
    beyond: "the connection is closed",
  },
  jsonDepth: {
    what: "Levels of a JSON body",
    limit: 200,
    beyond: "the body is refused with 400, and so by the service's validation",
  },
  patternCharacters: {
    what: "Regular expression that a caller gives",
    limit: 4_000,
    unit: "characters",
    beyond: BAD_REQUEST,
  },
  patternProgram: {
    what: "Instructions to which such an expression is compiled: repetitions multiply them",
    limit: 20_000,
    beyond: BAD_REQUEST,
  },
  patternSteps: {
    what: "Characters of a text times the instructions of the expression that it is tested with",
    limit: 50_000_000,
    beyond: "the text does not match",
  },
  yamlCharacters: {
    what: "YAML document",
    limit: 1024 * 1024,
    unit: "characters",
    beyond: "the document is refused; JSON may be larger",
  },
  yamlNodes: {
    what: "Values, keys, comments and other marks of a YAML document",
    limit: 20_000,
    beyond: "the document is refused; JSON may have more",
  },
  yamlValues: {
    what: "Values of a YAML document with aliases, each of which counts as all that it stands for",
    limit: 100_000,
    beyond: "the document is refused",
  },
  runMs: {
    what: "Length of a run of a posted scenario",
    limit: 300_000,
    unit: "ms",
    beyond: "the run ends, failed",
  },
  runSteps: {
    what: "Steps that a scenario executes, rounds counted (`run --max-steps` changes it)",
    limit: 10_000,
    beyond: "the run ends, failed",
  },
  stepsListed: {
    what: "Steps that a scenario lists, and those that a `repeat` in it does",
    limit: 10_000,
    beyond: "the scenario is refused",
  },
  repeatTimes: {
    what: "Rounds of a `repeat`",
    limit: 100_000,
    beyond: "the scenario is refused",
  },
  stepReports: {
    what: "Reports of steps in the report of a run",
    limit: 1_000,
    beyond: "rounds of a `repeat` are put together",
  },
  scenarioAnswerBytes: {
    what: "Answer to a call of a scenario",
    limit: 256 * 1024 * 1024,
    unit: "bytes",
    beyond: "the step fails",
  },
  loadCustomers: {
    what: "Customers of an open load (`load --arrivals`) at once",
    limit: 50_000,
    beyond: "arrivals are turned away, and the report says how many",
  },
  loadUnasked: {
    what: "Calls and deliveries about a customer of a load that no step has asked for yet",
    limit: 100,
    beyond: "the oldest is forgotten",
  },
  loadLastRepliesMs: {
    what: "Time for which a load waits for replies when it is over",
    limit: 10_000,
    unit: "ms",
    beyond: "the conversations are unfinished",
  },
  headerBytes: {
    what: "Target and headers of a call, together",
    limit: 16 * 1024,
    unit: "bytes",
    beyond: "431, and the connection is closed",
  },
  headersMs: {
    what: "Time that a client may take to send its headers",
    limit: 30_000,
    unit: "ms",
    beyond: "408, and the connection is closed",
  },
  requestMs: {
    what: "Time that a client may take to send its whole request",
    limit: 60_000,
    unit: "ms",
    beyond: "408, and the connection is closed",
  },
  idleMs: {
    what: "Time for which a kept connection may be without a call",
    limit: 75_000,
    unit: "ms",
    beyond: "the connection is closed",
  },
  shutdownMs: {
    what: "Time that calls and deliveries under way have once the simulator is told to end",
    limit: 5_000,
    unit: "ms",
    beyond: "they are broken off",
  },
  listed: {
    what: "Problems and warnings of one call",
    limit: 100,
    beyond: "one line says how many more there are",
  },
} as const satisfies Record<string, Bound>;

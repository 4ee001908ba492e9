/** The bounds that users can meet, declared once: the code takes its numbers from here and from `load-bounds.ts`, and the reference its page. */

export interface Bound {
  readonly what: string;
  readonly limit: number;
  readonly unit?: "bytes" | "ms" | "characters";
  readonly beyond: string;
}

export const bound = (limit: number, what: string, beyond: string, unit?: Bound["unit"]): Bound => ({
  what,
  limit,
  ...(unit === undefined ? {} : { unit }),
  beyond,
});

const CONFLICT = "the call that asks for one more gets 409";
const BAD_REQUEST = "the call is refused with 400";

export const BOUNDS = {
  sandboxes: bound(20_000, "Sandboxes alive", `${CONFLICT}: delete some, or give them a ttlMs`),
  snapshots: bound(1_000, "Named snapshots of a sandbox", CONFLICT),
  endedRuns: bound(
    12,
    "Resets of a sandbox that a snapshot with `logs: true` undoes",
    "older ones come back without their logs",
  ),
  faults: bound(1_000, "Fault rules of a sandbox", CONFLICT),
  waits: bound(10_000, "Open waits of a sandbox", CONFLICT),
  matchCount: bound(100_000, "How many entries a wait or `verify` asks for", BAD_REQUEST),
  nearMissEntries: bound(
    1_000,
    "Newest entries of a log among which near misses are looked for",
    "older ones are not looked at",
  ),
  waitMs: bound(600_000, "Length of a wait", BAD_REQUEST, "ms"),
  matchValues: bound(10_000, "Values of a match, and of a payload that a fault changes", BAD_REQUEST),
  matchDepth: bound(50, "Levels of a match, and of a payload that a fault changes", BAD_REQUEST),
  answerUnreadMs: bound(
    60_000,
    "Time for which a client leaves an answer that is sent piece by piece (lists, states) unread",
    "the connection is closed. Entries of logs and sinks that are evicted in the meantime are left out of the answer",
    "ms",
  ),
  streams: bound(1_000, "Open event streams of a sandbox", CONFLICT),
  streamUnreadBytes: bound(
    1024 * 1024,
    "What the client of a stream has left unread when something new comes",
    "the stream is closed",
    "bytes",
  ),
  streamTurnBytes: bound(
    16 * 1024 * 1024,
    "What a stream is told of one turn of the event loop",
    "it is told `{ all: true }`: anything may have changed",
    "bytes",
  ),
  streamTurnChanges: bound(
    10_000,
    "Changed records that a stream is told of one by one, of one turn",
    "it is told `{ all: true }`",
  ),
  sinks: bound(
    1_000,
    "Sinks of a sandbox that were called or set",
    "the one that went longest without a call or setting is forgotten",
  ),
  sinkBodyBytes: bound(1024 * 1024, "Body of a call to a sink", "413", "bytes"),
  sinkDelayMs: bound(600_000, "Delay of a sink", BAD_REQUEST, "ms"),
  controlBytes: bound(
    1024 * 1024,
    "Body of a control call, and each value of a larger one",
    "413, and the connection is closed",
    "bytes",
  ),
  worldBytes: bound(
    32 * 1024 * 1024,
    "Body of a control call that carries fixtures or a state (larger worlds come with `--fixtures` or `--bundle`)",
    "413, and the connection is closed",
    "bytes",
  ),
  controlKeys: bound(10_000, "Keys of one object in the body of a control call", BAD_REQUEST),
  worldValues: bound(
    1_000_000,
    "Values of the body of a control call that carries fixtures or a state, with each list and object as two",
    BAD_REQUEST,
  ),
  controlDepth: bound(
    64,
    "Levels of the body of a control call that carries neither fixtures nor a state",
    BAD_REQUEST,
  ),
  discardedBytes: bound(
    64 * 1024 * 1024,
    "What is read and discarded of a body that was refused",
    "the connection is closed",
    "bytes",
  ),
  discardedMs: bound(5_000, "Time for which a refused body is discarded", "the connection is closed", "ms"),
  recordedBytes: bound(
    1024 * 1024,
    "Body of a control call that its record shows",
    "the record shows null in place of it",
    "bytes",
  ),
  rateWindows: bound(
    100_000,
    "Tokens of a sandbox that `limits.rate` counts",
    "the window that began first is forgotten",
  ),
  keptFixtures: bound(
    64,
    "Fixtures of control calls that are kept with the state that they describe",
    "the one used least recently is forgotten, and read again the next time",
  ),
  keptFixtureRecords: bound(20_000, "Records of such a fixture", "it is not kept"),
  sandboxOpenings: bound(
    4,
    "Sandboxes of a store that are read and opened at once",
    "further ones wait, and the calls that open them",
  ),
  pending: bound(
    10_000,
    "Pending deliveries of a sandbox",
    "a further delivery is dropped, with the reason in the delivery log",
  ),
  webhookConcurrency: bound(
    64,
    "Deliveries of one webhook under way at once, where `delivery.order` is `none`",
    "further ones wait",
  ),
  deliveryCalls: bound(
    1_000,
    "Calls to webhooks of a sandbox under way at once",
    "further ones wait, and their timeout starts when they are sent",
  ),
  hops: bound(
    5,
    "Calls of the simulator that lead to one another, as a webhook that points back at it makes them",
    "a further delivery is blocked, with the reason in the delivery log",
  ),
  faultDuplicates: bound(100, "Duplicates that a fault makes of a delivery", BAD_REQUEST),
  faultHeaders: bound(100, "Headers that a fault sets", BAD_REQUEST),
  faultHeaderCharacters: bound(8_192, "Header that a fault sets", BAD_REQUEST, "characters"),
  faultPayloadCharacters: bound(
    65_536,
    "What a fault changes of a payload, as JSON",
    BAD_REQUEST,
    "characters",
  ),
  faultCounter: bound(1_000_000_000, "Counters of a fault, such as `times` and `every`", BAD_REQUEST),
  answerCharacters: bound(
    4_096,
    "What the delivery log shows of a receiver's answer",
    "the rest is cut off",
    "characters",
  ),
  answerBytes: bound(65_536, "What is read of a receiver's answer", "the connection is closed", "bytes"),
  jsonDepth: bound(
    200,
    "Levels of a JSON body",
    "the body is refused with 400, and so by the service's validation",
  ),
  patternCharacters: bound(4_000, "Regular expression that a caller gives", BAD_REQUEST, "characters"),
  patternProgram: bound(
    20_000,
    "Instructions to which such an expression is compiled: repetitions multiply them",
    BAD_REQUEST,
  ),
  patternSteps: bound(
    50_000_000,
    "Characters of a text times the instructions of the expression that it is tested with",
    "the text does not match",
  ),
  yamlCharacters: bound(
    1024 * 1024,
    "YAML document",
    "the document is refused; JSON may be larger",
    "characters",
  ),
  yamlNodes: bound(
    20_000,
    "Values, keys, comments and other marks of a YAML document",
    "the document is refused; JSON may have more",
  ),
  yamlValues: bound(
    100_000,
    "Values of a YAML document with aliases, each of which counts as all that it stands for",
    "the document is refused",
  ),
  runMs: bound(300_000, "Length of a run of a posted scenario", "the run ends, failed", "ms"),
  runSteps: bound(
    10_000,
    "Steps that a scenario executes, rounds counted (`run --max-steps` changes it)",
    "the run ends, failed",
  ),
  stepsListed: bound(
    10_000,
    "Steps that a scenario lists, and those that a `repeat` in it does",
    "the scenario is refused",
  ),
  repeatTimes: bound(100_000, "Rounds of a `repeat`", "the scenario is refused"),
  stepReports: bound(
    1_000,
    "Reports of steps in the report of a run",
    "rounds of a `repeat` are put together",
  ),
  scenarioAnswerBytes: bound(256 * 1024 * 1024, "Answer to a call of a scenario", "the step fails", "bytes"),
  loadCustomers: bound(
    50_000,
    "Customers of an open load (`load --arrivals`) at once",
    "arrivals are turned away, and the report says how many",
  ),
  loadUnasked: bound(
    100,
    "Calls and deliveries about a customer of a load that no step has asked for yet",
    "the oldest is forgotten",
  ),
  loadLastRepliesMs: bound(
    10_000,
    "Time for which a load waits for replies when it is over",
    "the conversations are unfinished",
    "ms",
  ),
  headerBytes: bound(
    16 * 1024,
    "Target and headers of a call, together",
    "431, and the connection is closed",
    "bytes",
  ),
  headersMs: bound(
    30_000,
    "Time that a client may take to send its headers",
    "408, and the connection is closed",
    "ms",
  ),
  requestMs: bound(
    60_000,
    "Time that a client may take to send its whole request",
    "408, and the connection is closed",
    "ms",
  ),
  idleMs: bound(
    75_000,
    "Time for which a kept connection may be without a call",
    "the connection is closed",
    "ms",
  ),
  shutdownMs: bound(
    5_000,
    "Time that calls and deliveries under way have once the simulator is told to end",
    "they are broken off",
    "ms",
  ),
  recordingBytes: bound(
    64 * 1024 * 1024,
    "Recording that `proxy` writes and `calibrate` reads",
    "`proxy` records no more, and says so; `calibrate` refuses the file",
    "bytes",
  ),
  recordingEntries: bound(
    20_000,
    "Exchanges of such a recording",
    "`proxy` records no more, and says so; `calibrate` refuses the file",
  ),
  recordedBodyBytes: bound(
    10 * 1024 * 1024,
    "Body that `proxy` records, decoded or not",
    "the body passes and is not recorded",
    "bytes",
  ),
  proxyCapturedBytes: bound(
    64 * 1024 * 1024,
    "Bodies that `proxy` keeps for the recording while their exchanges are under way",
    "further ones pass and are not recorded",
    "bytes",
  ),
  proxyAnswerMs: bound(
    120_000,
    "Time that the service or the webhook has for an answer to `proxy`",
    "the program gets 502",
    "ms",
  ),
  listed: bound(100, "Problems and warnings of one call", "one line says how many more there are"),
} as const;

/**
 * The limits that users can meet, declared once: the code and the reference page read them from here. Those of the load of a
 * server stand in `http/admission.ts`.
 */
import { MAX_DEPTH } from "./json.js";
import { MAX_LISTED } from "./words.js";

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
const DROPPED = "the next delivery is dropped, with the reason in the delivery log";
const BAD_REQUEST = "the call is refused with 400";

export const BOUNDS = {
  sandboxes: bound(20_000, "Sandboxes alive", `${CONFLICT}: delete some, or give them a ttlMs`),
  snapshots: bound(1_000, "Named snapshots of a sandbox", CONFLICT),
  endedRuns: bound(
    12,
    "Resets of a sandbox that a snapshot with `logs: true` can undo",
    "older ones are restored without their logs",
  ),
  faults: bound(1_000, "Fault rules of a sandbox", CONFLICT),
  waits: bound(10_000, "Open waits of a sandbox", CONFLICT),
  matchCount: bound(100_000, "Entries that a wait or `verify` asks for", BAD_REQUEST),
  nearMissEntries: bound(1_000, "Newest entries of a log searched for near misses", "older ones are ignored"),
  waitMs: bound(600_000, "Length of a wait", BAD_REQUEST, "ms"),
  matchValues: bound(10_000, "Values in a match, and in a payload changed by a fault", BAD_REQUEST),
  matchDepth: bound(50, "Nesting levels of a match, and of a payload changed by a fault", BAD_REQUEST),
  answerUnreadMs: bound(
    60_000,
    "Time for which a client stops reading a large answer (lists, states)",
    "the connection is closed. The answer omits entries of logs and sinks that are evicted in the meantime",
    "ms",
  ),
  streams: bound(1_000, "Open event streams of a sandbox", CONFLICT),
  streamUnreadBytes: bound(
    1024 * 1024,
    "Unread bytes of a stream's client when a new event arrives",
    "the stream is closed",
    "bytes",
  ),
  streamTurnBytes: bound(
    16 * 1024 * 1024,
    "Bytes sent to all streams of a sandbox together, for one turn of the event loop",
    "they receive `{ all: true }`: anything may have changed",
    "bytes",
  ),
  streamTurnChanges: bound(
    10_000,
    "Changed records listed individually to a stream, per turn",
    "it receives `{ all: true }`",
  ),
  sinks: bound(
    1_000,
    "Sinks of a sandbox that were called or configured",
    "the least recently used one is deleted",
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
    "Body of a control call with fixtures or a state (for larger worlds use `--fixtures` or `--bundle`)",
    "413, and the connection is closed",
    "bytes",
  ),
  controlKeys: bound(10_000, "Keys of one object in the body of a control call", BAD_REQUEST),
  worldValues: bound(
    1_000_000,
    "Values in the body of a control call with fixtures or a state; lists and objects count twice",
    BAD_REQUEST,
  ),
  controlDepth: bound(
    64,
    "Nesting levels of the body of a control call without fixtures or a state",
    BAD_REQUEST,
  ),
  dependentRecords: bound(12_000, "Records deleted together with one (`_dependent`)", BAD_REQUEST),
  transcriptMessages: bound(
    20_000,
    "Messages of a transcript in Markdown",
    "it has the newest, and the number of the others",
  ),
  discardedBytes: bound(
    64 * 1024 * 1024,
    "Bytes of a refused body that are read and discarded",
    "the connection is closed",
    "bytes",
  ),
  discardedMs: bound(5_000, "Time for which a refused body is discarded", "the connection is closed", "ms"),
  recordedBytes: bound(
    1024 * 1024,
    "Body of a control call shown in its log entry",
    "the entry shows null instead",
    "bytes",
  ),
  rateWindows: bound(
    100_000,
    "Tokens of a sandbox that `limits.rate` counts",
    "the oldest window is dropped",
  ),
  sandboxOpenings: bound(
    4,
    "Sandboxes of a store opened at the same time",
    "others wait, as do the calls that open them",
  ),
  webhookCharacters: bound(
    8_192,
    "URL and `hookId` of a webhook, which stand in each line about its deliveries",
    "the fixture or call is refused; the simulated API refuses with its validation error",
    "characters",
  ),
  pending: bound(10_000, "Pending deliveries of a sandbox", DROPPED),
  pendingBytes: bound(
    32 * 1024 * 1024,
    "Payloads of the pending deliveries of a sandbox, together",
    DROPPED,
    "bytes",
  ),
  webhookConcurrency: bound(
    64,
    "Deliveries of one webhook in flight at once, if `delivery.order` is `none`",
    "further ones wait",
  ),
  deliveryCalls: bound(
    1_000,
    "Calls to webhooks of a sandbox in flight at once",
    "others wait; their timeout starts when they are sent",
  ),
  hops: bound(
    5,
    "Calls of the simulator that trigger each other, because a webhook points back at it",
    "the next delivery is blocked, with the reason in the delivery log",
  ),
  faultDuplicates: bound(100, "Duplicates of a delivery made by a fault", BAD_REQUEST),
  faultHeaders: bound(100, "Headers set by a fault", BAD_REQUEST),
  faultHeaderCharacters: bound(8_192, "Header set by a fault", BAD_REQUEST, "characters"),
  faultPayloadCharacters: bound(
    65_536,
    "Changes of a payload by a fault, as JSON",
    BAD_REQUEST,
    "characters",
  ),
  faultCounter: bound(1_000_000_000, "Counters of a fault, such as `times` and `every`", BAD_REQUEST),
  answerCharacters: bound(
    4_096,
    "A receiver's answer in the delivery log",
    "the rest is cut off",
    "characters",
  ),
  answerBytes: bound(65_536, "Bytes read of a receiver's answer", "the connection is closed", "bytes"),
  jsonDepth: bound(
    MAX_DEPTH,
    "Nesting levels of a JSON body",
    "the body is refused with 400, by the service's validation",
  ),
  patternCharacters: bound(4_000, "Regular expression given by a caller", BAD_REQUEST, "characters"),
  patternProgram: bound(
    20_000,
    "Characters of the regular expressions of a match, with their repetitions written out",
    BAD_REQUEST,
  ),
  scenarioPrograms: bound(
    1_000_000,
    "Characters of the regular expressions of a scenario, with their repetitions written out",
    "the scenario is refused",
  ),
  matchSteps: bound(
    1_500_000,
    "Steps of comparing matches (values, parts of bodies, some characters of texts): of one `wait` or `verify`, of all fault rules for one call or delivery, of all open waits for one entry",
    "`wait` and `verify` are refused with 400 (a body is only compared if the method, path and operation match); the remaining fault rules do not match",
  ),
  yamlCharacters: bound(
    1024 * 1024,
    "YAML document",
    "the document is refused; JSON may be larger",
    "characters",
  ),
  yamlNodes: bound(
    20_000,
    "Values, keys, comments and other tokens of a YAML document",
    "the document is refused; JSON may have more",
  ),
  yamlValues: bound(
    100_000,
    "Values of a YAML document after expanding its aliases",
    "the document is refused",
  ),
  placeholders: bound(20_000, "Placeholders of a scenario", "the scenario is refused"),
  filledBytes: bound(
    4 * 1024 * 1024,
    "Values in place of the placeholders of a step, of a scenario's parameters, and of an answer of the behaviour table",
    "the step fails; the scenario is refused; the answer has an error as its body",
    "bytes",
  ),
  runMs: bound(300_000, "Length of a run of a posted scenario", "the run fails", "ms"),
  runSteps: bound(
    10_000,
    "Steps executed by a scenario, counting rounds (change it with `run --max-steps`)",
    "the run fails",
  ),
  stepsListed: bound(
    10_000,
    "Steps listed in a scenario, including those in a `repeat`",
    "the scenario is refused",
  ),
  repeatTimes: bound(100_000, "Rounds of a `repeat`", "the scenario is refused"),
  stepReports: bound(1_000, "Reports of steps in the report of a run", "rounds of a `repeat` are combined"),
  reportBytes: bound(16 * 1024 * 1024, "Report of a run", "the run fails", "bytes"),
  seenBytes: bound(1024 * 1024, "Value that a failed step has seen", "its report gives the size", "bytes"),
  scenarioAnswerBytes: bound(256 * 1024 * 1024, "Answer to a call of a scenario", "the step fails", "bytes"),
  loadCustomers: bound(
    50_000,
    "Customers of an open load (`load --arrivals`) at once",
    "further arrivals are turned away, and counted in the report",
  ),
  loadUnasked: bound(
    100,
    "Calls and deliveries of a load's customer not yet consumed by a step",
    "the oldest is dropped",
  ),
  loadLastRepliesMs: bound(
    10_000,
    "Time that a load waits for replies at its end",
    "the conversations count as unfinished",
    "ms",
  ),
  headerBytes: bound(
    16 * 1024,
    "Request line and headers of a call, together",
    "431, and the connection is closed",
    "bytes",
  ),
  headersMs: bound(
    30_000,
    "Time for a client to send its headers",
    "408, and the connection is closed",
    "ms",
  ),
  requestMs: bound(
    60_000,
    "Time for a client to send its whole request",
    "408, and the connection is closed",
    "ms",
  ),
  pipelined: bound(
    100,
    "Calls of a connection that wait until earlier ones are answered",
    "the connection is not read until all of them are being served",
  ),
  idleMs: bound(75_000, "Idle time of a keep-alive connection", "the connection is closed", "ms"),
  shutdownMs: bound(
    5_000,
    "Time for calls and deliveries in flight to finish when the simulator shuts down",
    "they are aborted",
    "ms",
  ),
  recordingBytes: bound(
    64 * 1024 * 1024,
    "Recording written by `proxy` and read by `calibrate`",
    "`proxy` stops recording and says so; `calibrate` refuses the file",
    "bytes",
  ),
  recordingEntries: bound(
    20_000,
    "Exchanges of a recording",
    "`proxy` stops recording and says so; `calibrate` refuses the file",
  ),
  recordedBodyBytes: bound(
    10 * 1024 * 1024,
    "Body recorded by `proxy`, decoded or not",
    "the body passes but is not recorded",
    "bytes",
  ),
  proxyCapturedBytes: bound(
    64 * 1024 * 1024,
    "Bodies that `proxy` buffers for exchanges in flight",
    "others pass and are not recorded",
    "bytes",
  ),
  proxyAnswerMs: bound(
    120_000,
    "Time for the service or webhook to answer `proxy`",
    "the program gets 502",
    "ms",
  ),
  listed: bound(MAX_LISTED, "Problems and warnings of one call", "one line gives the number of the others"),
} as const;

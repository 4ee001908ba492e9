/**
 * The limits that users can meet, declared once: the code and the reference page read them from here. A name that ends in
 * `Bytes`, `Ms` or `Characters` says the unit.
 */
import { MAX_DEPTH } from "./json.js";
import { MAX_LISTED } from "./words.js";

export interface Bound {
  readonly what: string;
  readonly limit: number;
  readonly beyond: string;
}

const bound = (limit: number, what: string, beyond: string): Bound => ({ limit, what, beyond });

const KIB = 1024;
const MIB = 1024 * KIB;

const CLOSED = "the connection is closed";
const CONFLICT = "creating another gets 409";
const DROPPED = "the next delivery is dropped, with the reason in the delivery log";
const BAD_REQUEST = "the call is refused with 400";
const NO_DOCUMENT = "the document is refused";
const JSON_MAY = `${NO_DOCUMENT}; JSON may have more`;
const NO_SCENARIO = "the scenario is refused";
const NO_RUN = "the run fails";
const NO_STEP = "the step fails";
const TIMED_OUT = `408, and ${CLOSED}`;
const TOO_LARGE = `413, and ${CLOSED}`;

export const BOUNDS = {
  heapPercent: bound(
    85,
    "Use of the heap that Node allows (`--max-old-space-size`), in percent",
    "calls with a body get 503 with `Retry-After`, except control calls that add nothing (`wait`, `verify`, `reset`)",
  ),
  logBytes: bound(
    32 * MIB,
    "Total size of the bodies in each log of a sandbox, and of those that a sink has received",
    "the oldest entries are dropped; `--journal-limit` limits their number",
  ),
  connections: bound(10_000, "Open connections", "further ones are closed at once"),
  scenarioRuns: bound(
    100,
    "Running posted scenarios, in all sandboxes",
    "the control API answers 503 with `Retry-After`",
  ),
  sandboxes: bound(20_000, "Sandboxes", `${CONFLICT}: delete some, or give them a ttlMs`),
  snapshots: bound(1_000, "Named snapshots of a sandbox", CONFLICT),
  faults: bound(1_000, "Fault rules of a sandbox", CONFLICT),
  waits: bound(10_000, "Open waits of a sandbox", CONFLICT),
  waitExcept: bound(1_000, "Entries that a wait leaves out (`except`)", BAD_REQUEST),
  matchCount: bound(100_000, "Number of matches that a wait or `verify` may require", BAD_REQUEST),
  nearMissEntries: bound(1_000, "Entries of a log searched for near misses", "older ones are ignored"),
  waitMs: bound(600_000, "Timeout of a wait", BAD_REQUEST),
  matchValues: bound(1_000, "Values in a match, or in a payload changed by a fault", BAD_REQUEST),
  matchDepth: bound(50, "Nesting levels of a match, or of a payload changed by a fault", BAD_REQUEST),
  answerUnreadMs: bound(
    60_000,
    "Time for which a client may stop reading a large response (more than 64 KiB)",
    CLOSED,
  ),
  streams: bound(1_000, "Open event streams of a sandbox", CONFLICT),
  streamUnreadBytes: bound(MIB, "Unread bytes of a stream when a new event arrives", "the stream is closed"),
  streamTurnBytes: bound(
    16 * MIB,
    "Bytes sent to a sandbox's streams, per turn of the event loop",
    "they get `{ all: true }`",
  ),
  sinks: bound(1_000, "Sinks of a sandbox", "the least recently used one is deleted"),
  sinkBodyBytes: bound(MIB, "Body of a call to a sink", "413"),
  sinkDelayMs: bound(600_000, "Delay of a sink", BAD_REQUEST),
  controlBytes: bound(MIB, "Body of a control call, and each value in a larger one", TOO_LARGE),
  worldBytes: bound(
    32 * MIB,
    "Body of a control call with fixtures or a state (for more, use `--fixtures`)",
    TOO_LARGE,
  ),
  fixtureBytes: bound(64 * MIB, "Fixture file (`--fixtures`)", NO_DOCUMENT),
  controlKeys: bound(10_000, "Keys of one object in the body of a control call", BAD_REQUEST),
  worldValues: bound(1_000_000, "Values in fixtures or a state; lists and objects count twice", BAD_REQUEST),
  controlDepth: bound(64, "Nesting levels of the body of a control call, outside fixtures", BAD_REQUEST),
  transcriptMessages: bound(20_000, "Messages of a transcript in Markdown", "older ones are only counted"),
  discardedBytes: bound(64 * MIB, "Bytes of a refused body that are read and discarded", CLOSED),
  discardedMs: bound(5_000, "Time spent reading a refused body", CLOSED),
  recordedBytes: bound(MIB, "Body of a control call shown in its log entry", "the entry shows null instead"),
  rateWindows: bound(100_000, "Tokens counted by `limits.rate`", "the oldest window is dropped"),
  sandboxIdleMs: bound(
    600_000,
    "Time without calls after which a sandbox in a shared store is closed",
    "the next call opens it in any process",
  ),
  sandboxOpenings: bound(4, "Sandboxes opened from a store at once", "others wait, and so do their calls"),
  webhookCharacters: bound(
    8_192,
    "URL and `hookId` of a webhook",
    "the fixture or call is refused; the simulated API refuses with its validation error",
  ),
  pending: bound(10_000, "Pending deliveries of a sandbox", DROPPED),
  pendingBytes: bound(32 * MIB, "Total size of the pending payloads of a sandbox", DROPPED),
  deliveryCalls: bound(
    1_000,
    "Concurrent webhook calls of a sandbox",
    "others wait; their timeouts start later",
  ),
  faultDuplicates: bound(100, "Duplicates of a delivery made by a fault", BAD_REQUEST),
  faultHeaders: bound(100, "Headers set by a fault", BAD_REQUEST),
  faultHeaderCharacters: bound(8_192, "Header set by a fault", BAD_REQUEST),
  faultPayloadCharacters: bound(65_536, "Payload patch of a fault, as JSON", BAD_REQUEST),
  faultCounter: bound(1_000_000_000, "Counters of a fault, such as `times` and `every`", BAD_REQUEST),
  answerCharacters: bound(4_096, "A receiver's response in the delivery log", "the rest is cut off"),
  answerBytes: bound(64 * KIB, "Bytes read of a receiver's response", CLOSED),
  jsonDepth: bound(MAX_DEPTH, "Nesting levels of a JSON body", "400, by the service's validation"),
  patternCharacters: bound(1_000, "Path of a match", BAD_REQUEST),
  patternProgram: bound(
    1_000,
    "Characters of all `$regex` and `$contains` of a match, or of all faults of a sandbox, with repetitions written out",
    BAD_REQUEST,
  ),
  regexTextCharacters: bound(64 * KIB, "Text compared with a regular expression", "the text does not match"),
  regexSteps: bound(
    128 * 64 * KIB,
    "Characters of a text, times those of the regular expression with its repetitions written out",
    "the text does not match",
  ),
  scenarioPrograms: bound(
    100_000,
    "Characters of all `$regex`, `$contains` and `matches` of a scenario, with repetitions written out",
    NO_SCENARIO,
  ),
  yamlCharacters: bound(MIB, "YAML document", JSON_MAY),
  yamlNodes: bound(20_000, "Values, keys, comments and other tokens of a YAML document", JSON_MAY),
  yamlValues: bound(100_000, "Values of a YAML document after expanding its aliases", NO_DOCUMENT),
  placeholders: bound(20_000, "Placeholders of a scenario", NO_SCENARIO),
  filledBytes: bound(
    4 * MIB,
    "Values filled in for the placeholders of a step, of a scenario's parameters, or of a response in the behaviour table",
    `${NO_STEP}; ${NO_SCENARIO}; the response has an error as its body`,
  ),
  runMs: bound(300_000, "Duration of a posted scenario", NO_RUN),
  runSteps: bound(10_000, "Steps executed by a run of a scenario", NO_RUN),
  stepsListed: bound(10_000, "Steps listed in a scenario, including those in a `repeat`", NO_SCENARIO),
  repeatTimes: bound(100_000, "Rounds of a `repeat`", NO_SCENARIO),
  reportBytes: bound(16 * MIB, "Report of a run", NO_RUN),
  seenBytes: bound(MIB, "Actual value in the report of a failed step", "its report gives the size"),
  scenarioAnswerBytes: bound(256 * MIB, "Response to a call of a scenario", NO_STEP),
  headerBytes: bound(16 * KIB, "Request line and headers of a call, in total", `431, and ${CLOSED}`),
  headersMs: bound(30_000, "Time for a client to send its headers", TIMED_OUT),
  requestMs: bound(60_000, "Time for a client to send its whole request", TIMED_OUT),
  pipelined: bound(1_000, "Pipelined calls of a connection that wait for their turn", CLOSED),
  idleMs: bound(75_000, "Idle time of a keep-alive connection", CLOSED),
  shutdownMs: bound(5_000, "Time for calls and deliveries to finish on shutdown", "they are aborted"),
  listed: bound(MAX_LISTED, "Problems and warnings of one call", "one line stands for the others"),
} as const;

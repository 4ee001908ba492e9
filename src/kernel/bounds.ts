/**
 * The limits that users can meet, declared once: the code and the reference page read them from here. Those of the load of a
 * server stand in `http/admission.ts`. A name that ends in `Bytes`, `Ms` or `Characters` says the unit.
 */
import { MAX_DEPTH } from "./json.js";
import { MAX_LISTED } from "./words.js";

export interface Bound {
  readonly what: string;
  readonly limit: number;
  readonly beyond: string;
}

export const bound = (limit: number, what: string, beyond: string): Bound => ({ limit, what, beyond });

const KIB = 1024;
const MIB = 1024 * KIB;

const CLOSED = "the connection is closed";
const CONFLICT = "the call that asks for one more gets 409";
const DROPPED = "the next delivery is dropped, with the reason in the delivery log";
const BAD_REQUEST = "the call is refused with 400";
const NO_DOCUMENT = "the document is refused";
const JSON_MAY = `${NO_DOCUMENT}; JSON may have more`;
const NO_SCENARIO = "the scenario is refused";
const NO_RUN = "the run fails";
const NO_STEP = "the step fails";
const TIMED_OUT = `408, and ${CLOSED}`;
const TOO_LARGE = `413, and ${CLOSED}`;
const NO_RECORDING = "`proxy` stops recording and says so; `calibrate` refuses the file";

export const BOUNDS = {
  sandboxes: bound(20_000, "Sandboxes alive", `${CONFLICT}: delete some, or give them a ttlMs`),
  snapshots: bound(1_000, "Named snapshots of a sandbox", CONFLICT),
  endedRuns: bound(12, "Resets that a snapshot with `logs: true` can undo", "older ones come without logs"),
  faults: bound(1_000, "Fault rules of a sandbox", CONFLICT),
  waits: bound(10_000, "Open waits of a sandbox", CONFLICT),
  matchCount: bound(100_000, "Entries that a wait or `verify` asks for", BAD_REQUEST),
  nearMissEntries: bound(1_000, "Entries of a log searched for near misses", "older ones are ignored"),
  waitMs: bound(600_000, "Length of a wait", BAD_REQUEST),
  matchValues: bound(10_000, "Values in a match, and in a payload changed by a fault", BAD_REQUEST),
  matchDepth: bound(50, "Nesting levels of a match, and of a payload changed by a fault", BAD_REQUEST),
  answerUnreadMs: bound(
    60_000,
    "Time for which a client stops reading a large answer (lists, states)",
    `${CLOSED}. The answer omits entries of logs and sinks that are evicted in the meantime`,
  ),
  streams: bound(1_000, "Open event streams of a sandbox", CONFLICT),
  streamUnreadBytes: bound(MIB, "Unread bytes of a stream when a new event arrives", "the stream is closed"),
  streamTurnBytes: bound(16 * MIB, "Bytes sent to a sandbox's streams, per turn", "they get `{ all: true }`"),
  streamTurnChanges: bound(10_000, "Changed records of a stream, per turn", "it gets `{ all: true }`"),
  sinks: bound(1_000, "Sinks called or configured in a sandbox", "the least recently used one is deleted"),
  sinkBodyBytes: bound(MIB, "Body of a call to a sink", "413"),
  sinkDelayMs: bound(600_000, "Delay of a sink", BAD_REQUEST),
  controlBytes: bound(MIB, "Body of a control call, and each value of a larger one", TOO_LARGE),
  worldBytes: bound(
    32 * MIB,
    "Body of a control call with fixtures or a state (for larger worlds use `--fixtures` or `--bundle`)",
    TOO_LARGE,
  ),
  controlKeys: bound(10_000, "Keys of one object in the body of a control call", BAD_REQUEST),
  worldValues: bound(1_000_000, "Values in fixtures or a state; lists and objects count twice", BAD_REQUEST),
  controlDepth: bound(64, "Nesting levels of the body of a control call, outside fixtures", BAD_REQUEST),
  dependentRecords: bound(12_000, "Records deleted together with one (`_dependent`)", BAD_REQUEST),
  transcriptMessages: bound(20_000, "Messages of a transcript in Markdown", "older ones are only counted"),
  discardedBytes: bound(64 * MIB, "Bytes of a refused body that are read and discarded", CLOSED),
  discardedMs: bound(5_000, "Time for which a refused body is discarded", CLOSED),
  recordedBytes: bound(MIB, "Body of a control call shown in its log entry", "the entry shows null instead"),
  rateWindows: bound(100_000, "Tokens counted by `limits.rate`", "the oldest window is dropped"),
  sandboxOpenings: bound(4, "Sandboxes of a store opened at once", "others wait, as do the calls for them"),
  webhookCharacters: bound(
    8_192,
    "URL and `hookId` of a webhook, which stand in each line about its deliveries",
    "the fixture or call is refused; the simulated API refuses with its validation error",
  ),
  pending: bound(10_000, "Pending deliveries of a sandbox", DROPPED),
  pendingBytes: bound(32 * MIB, "Payloads of the pending deliveries of a sandbox, together", DROPPED),
  webhookConcurrency: bound(64, "Deliveries of a webhook at once, in `delivery.order` `none`", "others wait"),
  deliveryCalls: bound(1_000, "Calls to webhooks of a sandbox at once", "others wait, with their timeouts"),
  hops: bound(5, "Calls of the simulator that trigger each other", "the next delivery is blocked"),
  faultDuplicates: bound(100, "Duplicates of a delivery made by a fault", BAD_REQUEST),
  faultHeaders: bound(100, "Headers set by a fault", BAD_REQUEST),
  faultHeaderCharacters: bound(8_192, "Header set by a fault", BAD_REQUEST),
  faultPayloadCharacters: bound(65_536, "Changes of a payload by a fault, as JSON", BAD_REQUEST),
  faultCounter: bound(1_000_000_000, "Counters of a fault, such as `times` and `every`", BAD_REQUEST),
  answerCharacters: bound(4_096, "A receiver's answer in the delivery log", "the rest is cut off"),
  answerBytes: bound(64 * KIB, "Bytes read of a receiver's answer", CLOSED),
  jsonDepth: bound(MAX_DEPTH, "Nesting levels of a JSON body", "400, by the service's validation"),
  patternCharacters: bound(4_000, "Regular expression given by a caller", BAD_REQUEST),
  patternProgram: bound(20_000, "Characters of a match's expressions, repetitions written out", BAD_REQUEST),
  scenarioPrograms: bound(1_000_000, "Characters of a scenario's expressions, likewise", NO_SCENARIO),
  matchSteps: bound(
    1_500_000,
    "Steps of comparing matches (values, parts of bodies, some characters of texts): of one `wait` or `verify`, of all fault rules for one call or delivery, of all open waits for one entry",
    "`wait` and `verify` are refused with 400 (a body is only compared if the method, path and operation match); the remaining fault rules do not match",
  ),
  yamlCharacters: bound(MIB, "YAML document", JSON_MAY),
  yamlNodes: bound(20_000, "Values, keys, comments and other tokens of a YAML document", JSON_MAY),
  yamlValues: bound(100_000, "Values of a YAML document after expanding its aliases", NO_DOCUMENT),
  placeholders: bound(20_000, "Placeholders of a scenario", NO_SCENARIO),
  filledBytes: bound(
    4 * MIB,
    "Values in place of the placeholders of a step, of a scenario's parameters, and of an answer of the behaviour table",
    `${NO_STEP}; ${NO_SCENARIO}; the answer has an error as its body`,
  ),
  runMs: bound(300_000, "Length of a run of a posted scenario", NO_RUN),
  runSteps: bound(10_000, "Steps executed by a scenario (change it with `run --max-steps`)", NO_RUN),
  stepsListed: bound(10_000, "Steps listed in a scenario, including those in a `repeat`", NO_SCENARIO),
  repeatTimes: bound(100_000, "Rounds of a `repeat`", NO_SCENARIO),
  stepReports: bound(1_000, "Steps in the report of a run", "rounds of a `repeat` are combined"),
  reportBytes: bound(16 * MIB, "Report of a run", NO_RUN),
  seenBytes: bound(MIB, "Value that a failed step has seen", "its report gives the size"),
  scenarioAnswerBytes: bound(256 * MIB, "Answer to a call of a scenario", NO_STEP),
  loadCustomers: bound(50_000, "Customers of an open load at once", "others are turned away, and counted"),
  loadUnasked: bound(100, "Unused calls and deliveries of a load's customer", "the oldest is dropped"),
  loadLastRepliesMs: bound(10_000, "Time that a load waits for last replies", "they count as unfinished"),
  headerBytes: bound(16 * KIB, "Request line and headers of a call, together", `431, and ${CLOSED}`),
  headersMs: bound(30_000, "Time for a client to send its headers", TIMED_OUT),
  requestMs: bound(60_000, "Time for a client to send its whole request", TIMED_OUT),
  pipelined: bound(
    100,
    "Calls of a connection that wait for earlier ones",
    "it is not read until all are served",
  ),
  idleMs: bound(75_000, "Idle time of a keep-alive connection", CLOSED),
  shutdownMs: bound(5_000, "Time for calls and deliveries to finish at a shutdown", "they are aborted"),
  recordingBytes: bound(64 * MIB, "Recording written by `proxy` and read by `calibrate`", NO_RECORDING),
  recordingEntries: bound(20_000, "Exchanges of a recording", NO_RECORDING),
  recordedBodyBytes: bound(10 * MIB, "Body recorded by `proxy`, decoded or not", "it passes unrecorded"),
  proxyCapturedBytes: bound(64 * MIB, "Bodies that `proxy` buffers at once", "others pass unrecorded"),
  proxyAnswerMs: bound(120_000, "Time for the other side to answer `proxy`", "the program gets 502"),
  listed: bound(MAX_LISTED, "Problems and warnings of one call", "one line gives the number of the others"),
} as const;

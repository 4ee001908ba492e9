/** Turns the logs of a sandbox into a scenario that tests the system under test. */
import { Document, visit } from "yaml";
import type { Start } from "../../client/types.js";
import { countsOf, omitUndefined } from "../../kernel/objects.js";
import { isPrintable, printable, printableLines } from "../../kernel/printable.js";
import { isoOf } from "../../kernel/realtime.js";
import { sizeFault } from "../../kernel/yaml-text.js";
import { withoutSecrets } from "../varying.js";
import { controlStep } from "./control-steps.js";
import { callStep, deliveryStep } from "./expectations.js";
import type { Draft } from "./references.js";
import { References } from "./references.js";
import type { Entry, SessionLog } from "./session.js";
import { isCall, recordable, threadOf, timelineOf } from "./session.js";

interface Recording {
  /** There is no step: nothing has happened. */
  readonly isEmpty: boolean;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

const DEFAULT_SEED = 1;
/** How long patient expectations wait. */
const LONG_WITHIN = "10s";
const PATIENT_FROM_MS = 1_000;

/**
 * Actions of customers, employees and clock become steps, those of the system under test expectations.
 *
 * @example
 * const { scenario, notes } = recordingOf(await sessionLogOf(controlApi(url), "default"));
 */
export function recordingOf(session: SessionLog): Recording {
  const log = recordable(session);
  const { start, notes } = log;
  const { entries, settled } = timelineOf(log);
  const thread = mainThread(entries, start);
  const references = new References(start.fixtures, thread);
  const arming = { method: "POST", path: "/faults" };
  const armed = start.faults.map((body, index) =>
    controlStep({ ...arming, body, response: { id: `f${index + 1}` } }, references),
  );
  // Those of the target that the scenario is run with are removed first.
  const drafts: Draft[] =
    armed.length === 0 ? [] : [{ noun: "faults", step: { clearFaults: true } }, ...armed];
  for (const [position, arrived] of settled.entries()) {
    const entry = entries[position];
    if (entry !== undefined)
      drafts.push(
        isCall(entry)
          ? callStep(entry, references, start.fixtures.templates ?? [])
          : controlStep(entry, references),
      );
    drafts.push(...arrived.map((delivery) => deliveryStep(delivery, references)));
  }
  return {
    isEmpty: drafts.length === 0,
    scenario: {
      name: `Recorded from the sandbox ${log.sandbox}`,
      ...startKeys(start),
      ...omitUndefined({
        token: mainToken(log),
        thread,
        within: isSlow(log, entries) ? LONG_WITHIN : undefined,
      }),
      steps: drafts.map(({ id, step }) => ({ ...omitUndefined({ id }), ...step })),
    },
    notes,
  };
}

/** Whether the system under test took long to make a call, as a running clock shows, or faults delayed answers. */
const isSlow = ({ start, controls }: SessionLog, entries: readonly Entry[]): boolean =>
  [start.faults, ...controls.filter(({ path }) => path === "/faults").map(({ body }) => body)].some((rules) =>
    /"delayMs":[^0]|"slow"/.test(JSON.stringify(rules)),
  ) ||
  (start.clock === null &&
    entries.some((entry, at) => isCall(entry) && entry.at - (entries[at - 1] ?? entry).at > PATIENT_FROM_MS));

/** The parts of the start that differ from a simulator's defaults. */
function startKeys({ fixtures, shipped, behaviour, seed, clock }: Start): object {
  return omitUndefined({
    fixtures: shipped ? undefined : withoutSecrets(withoutEmpty(fixtures)),
    behaviour: Object.keys(behaviour).length === 0 ? undefined : withoutSecrets(behaviour),
    clock: clock === null ? undefined : isoOf(clock),
    seed: seed === DEFAULT_SEED ? undefined : seed,
  });
}

const withoutEmpty = (fixtures: Start["fixtures"]): object =>
  Object.fromEntries(Object.entries(fixtures).filter(([, records]) => records.length > 0));

/** The initial thread that most calls are about. */
function mainThread(entries: readonly Entry[], { fixtures }: Start): string | undefined {
  const known = new Set<string | undefined>(fixtures.threads?.map(({ id }) => id));
  return mostFrequent(entries.map(threadOf).filter((thread) => known.has(thread)) as string[]);
}

/** The token of the fixture that most calls had. */
function mainToken({ start, sandbox, requests }: SessionLog): string | undefined {
  const names = new Set(start.fixtures.tokens?.map(({ id }) => id));
  const prefix = `${sandbox}.`;
  const used = requests.map(({ token }) => (token?.startsWith(prefix) ? token.slice(prefix.length) : token));
  return mostFrequent(used.filter((name) => name !== null && names.has(name)) as string[]);
}

const mostFrequent = (values: readonly string[]): string | undefined =>
  [...countsOf(values)].sort(([, a], [, b]) => b - a)[0]?.[0];

/** The depth of the parts of a step, and of the records of a fixture: each is written on one line. */
const ONE_LINE_FROM = 6;
const HEAD = [" yaml-language-server: $schema=node_modules/messaging-sim/schemas/scenario.json"];

/** The recording as YAML, or as JSON if it is too large to be read again as YAML. */
export function recordingText({ scenario, notes }: Recording): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  document.commentBefore = [...HEAD, ...notes.map((note) => ` Note: ${printable(note)}`)].join("\n");
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && !isPrintable(node.value)) node.type = "QUOTE_DOUBLE";
    },
    Collection: (_, node, { length }) => {
      node.flow = length >= ONE_LINE_FROM || node.items.length === 0;
    },
  });
  // In quotes, where the text of an escape is the character.
  const text = printableLines(document.toString({ lineWidth: 0 }));
  return sizeFault(text) === undefined ? text : `${printableLines(JSON.stringify(scenario, null, 1))}\n`;
}

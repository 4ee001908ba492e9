/** What a comparison found, for programs, people and issues, and as a behaviour file. */
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { operationOfCall } from "../../api/operations/index.js";
import { valueText } from "../../client/misses.js";
import { valueAt } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import { printableIn } from "../../kernel/printable.js";
import { isoOf, wallNow } from "../../kernel/realtime.js";
import { counted } from "../../kernel/words.js";
import type { StepReport } from "../../scenarios/report.js";
import { locationText } from "../../scenarios/reporters.js";
import { STAND_IN } from "../../scenarios/varying.js";
import type { ValueEvidence } from "../../service/behaviour/entry.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, OBSERVED } from "../../service/behaviour/table.js";
import { type FieldDifference, isRefusal, type MatchedCall } from "./differences.js";
import type { ComparedRuns, Proofs } from "./explain.js";
import type { OtherSide } from "./other-side.js";
import type { TracedStep } from "./sides.js";
import type { observedSince } from "./values.js";

const MAX_EVIDENCE = 5;

const stepText = ({ name, place }: Pick<StepReport, "name" | "place">): string => `${place.path}: ${name}`;
/** The values that fields have on one side. */
const fieldsText = (fields: readonly FieldDifference[], side: "simulator" | "other"): string =>
  fields.map((field) => `${field.path} ${valueText(field[side])}`).join(", ");

/**
 * What a comparison found, without secrets.
 *
 * @param start how the scenarios compare before any value is set
 * @param found the same with the values that explain most
 * @param expected how an earlier comparison differs
 */
export function comparisonOf(
  other: OtherSide,
  start: ComparedRuns,
  found: ComparedRuns,
  proofs: Proofs,
  expected?: ReturnType<typeof observedSince>,
) {
  const scenarios = start.runs.map(({ sent, calls, failures: own }) => {
    const { scenario } = sent;
    const differences = calls
      .filter(({ fields }) => fields.length > 0)
      .map((call) => differenceOf(call, proofs));
    const failures = [...own, ...sent.failures];
    return {
      ...{ name: scenario.name, ...omitUndefined({ file: scenario.file }) },
      ok: differences.length + failures.length === 0,
      compared: calls.filter(({ here, there }) => here?.call && there.call).length,
      ...{ differences, failures },
    };
  });
  const observed = [...proofs.observed].flatMap(([key, calls]) => {
    const value = found.values[key];
    const evidence = [...new Map(calls.map((call) => [call.there, call])).values()].slice(0, MAX_EVIDENCE);
    // A value that has a secret in it is not kept.
    return isDeepStrictEqual(other.hide(value), value) && !JSON.stringify(value).includes(STAND_IN)
      ? [{ key, value, default: BEHAVIOUR_TABLE[key].default, evidence: evidence.flatMap(evidenceOf) }]
      : [];
  });
  const contradictions = scenarios.flatMap(({ name: scenario, differences }) =>
    differences.flatMap(({ section, fields, operation, ...step }) => {
      const [expected, seen] = [fieldsText(fields, "simulator"), fieldsText(fields, "other")];
      return section === null ? [] : [{ scenario, step: stepText(step), operation, section, expected, seen }];
    }),
  );
  const open = BEHAVIOUR_KEYS.filter((key) => !observed.some((one) => one.key === key));
  const all = { scenarios, observed, contradictions, open, ...omitUndefined({ expected }) };
  return other.hide({ against: other.name, ok: scenarios.every((one) => one.ok), ...all });
}

export type Comparison = ReturnType<typeof comparisonOf>;

/** How a call shows a value: by the fields that another value would change, or as a whole. */
function evidenceOf({ scenario, there, fields }: MatchedCall): ValueEvidence["calls"] {
  const { at, call, status, body } = there;
  if (call === undefined) return [];
  const shows = fields.length > 0 ? fieldsText(fields, "other") : `${status} ${valueText(body)}`;
  return [{ scenario, step: stepText(there), operation: operationOfCall(call)?.id ?? call, at, shows }];
}

function differenceOf(matched: MatchedCall, { explanations }: Proofs) {
  const { here, there, fields } = matched;
  const { name, place } = here ?? there;
  const call = here?.call ?? there.call ?? name;
  const answerOf = ({ status = null, body }: Partial<TracedStep> = {}) => ({ status, body });
  const answers = { simulator: answerOf(here), other: answerOf(there) };
  const known = explanations.filter((one) => one.there === there);
  const said = new Map(known.map(({ key, value }) => [`${key} ${JSON.stringify(value)}`, { key, value }]));
  const entries = [...said.values()];
  // Without a section, the entries explain the difference.
  const section = entries.length > 0 ? null : sectionFor(call, matched);
  const operation = operationOfCall(call)?.id ?? call;
  return { name, place, call, operation, ...answers, fields, entries, section };
}

/** The section of the specification that says what the simulator does. */
function sectionFor(call: string, { here, fields }: MatchedCall): string {
  const { id = "", section = "Endpoints" } = operationOfCall(call) ?? {};
  const has = (path: string) => fields.some((field) => field.path === path);
  if (here === undefined || !isRefusal(here))
    return id === "getCustomerThreadDetails" && has("body.status")
      ? "States and transitions / Thread status"
      : section;
  if (here.status === 401 && id !== "sendMessageToBusiness") return "Authentication";
  if (id === "deleteUserByEmail") return "Errors / Delete user by email";
  if (Array.isArray(valueAt(here.body, ["body"])) && !has("status")) return "Errors / Validation error shape";
  return id === "sendMessageToBusiness" ? "Errors / Widget route" : section;
}

/** All that a report says, as lists: what each item is about, and lines on it. Only that of changes since an earlier comparison may be empty. */
function listsOf({ scenarios, observed, expected }: Comparison) {
  const calls = scenarios.flatMap(({ name, file = name, differences }) =>
    differences.map((one) => [
      `${locationText({ file, ...one.place })} ${one.name === one.call ? one.call : `${one.name}: ${one.call}`}`,
      `simulator: ${fieldsText(one.fields, "simulator")}`,
      `other: ${fieldsText(one.fields, "other")}`,
      one.section === null
        ? `why: explained by ${one.entries.map(({ key, value }) => `${key}: ${valueText(value)}`).join(", or ")}`
        : `why: contradicts ${one.section}`,
    ]),
  );
  const omissions = scenarios.flatMap(({ failures }) =>
    failures.map((one) => [`${locationText(one.place)} ${one.name}`, `reason: ${one.reason}`]),
  );
  const others = observed
    .filter((one) => !isDeepStrictEqual(one.value, one.default))
    .map(({ key, value, default: preset, evidence: [first] }) => [
      ...[key, `value: ${valueText(value)}`, `default: ${valueText(preset)}`],
      `shown by: ${first?.scenario}, ${first?.step}: ${first?.shows}`,
    ]);
  const drift = expected?.drift.map((one) => [
    ...[one.key, `was: ${valueText(one.expected)}`, `is: ${valueText(one.seen)}`],
  ]);
  const since = expected && `Changed since ${expected.file}, ${expected.age}`;
  const lists: [title: string, items: string[][]][] = [
    ["Differences", calls],
    ["Not sent, failed or unexpected", omissions],
    ["Observed, other than the defaults", others],
    [since ?? "", drift ?? []],
  ];
  return lists.filter(([title, items]) => items.length > 0 || title === since);
}

export function prettyComparison(written: Comparison): string {
  const comparison = printableIn(written);
  const scenarios = comparison.scenarios.map(({ name, file = "", ok, compared, differences }) => {
    const counts = `${counted(compared, "call")} compared, ${differences.length} differ`;
    return `${ok ? "✓" : "✗"} ${name}  ${file}  ${counts}`;
  });
  const lists = listsOf(comparison).flatMap(([title, items]) => [
    `\n${title}${items.length === 0 ? ": nothing" : ""}`,
    ...items.flatMap(([first, ...lines]) => [`  ${first}`, ...lines.map((line) => `      ${line}`)]),
  ]);
  const agreed = comparison.ok ? [`\nThe simulator and ${comparison.against} agree.`] : [];
  return [...scenarios, ...lists, ...agreed, ""].join("\n");
}

/** A report to paste into an issue. */
export const markdownComparison = (comparison: Comparison): string =>
  `## Comparison with ${comparison.against}\n\n~~~text\n${prettyComparison(comparison)}~~~\n`;

/** A behaviour file with the observed values and their evidence. */
export function observedFile(observed: Comparison["observed"]): string {
  const values = Object.fromEntries(observed.map(({ key, value }) => [key, value]));
  const evidence = observed.map(({ key, evidence: calls }) => [key, { at: calls.at(-1)?.at, calls }]);
  return [
    `# Observed by messaging-sim compare, ${isoOf(wallNow())}. Use it with: messaging-sim serve --behaviour FILE`,
    stringify({ ...values, [OBSERVED]: Object.fromEntries(evidence) }, { aliasDuplicateObjects: false }),
  ].join("\n");
}

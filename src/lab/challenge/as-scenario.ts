/** Writes a break as a scenario file: the original scenario with the change in it. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { isSeq, parseDocument } from "yaml";
import { isObject } from "../../kernel/json.js";
import type { Duration } from "../../kernel/units.js";
import { isPassive, waitMs } from "../../scenarios/step.js";
import { STEPS } from "../../scenarios/steps/index.js";
import type { Challenge } from "./kinds.js";
import type { Observed } from "./observed.js";
import { PATIENT_QUIET_MS } from "./play.js";
import type { Finding } from "./report.js";
import { EXITED } from "./report.js";
import { FAILED, SENT, SENT_COUNT } from "./wire.js";

const PASSIVE: ReadonlySet<string> = new Set(STEPS.flatMap((kind) => (isPassive(kind) ? [kind.key] : [])));

/** @returns undefined for what no scenario can show: a change of the fixture, or a break that no step sees */
export function asScenario(
  text: string,
  challenge: Challenge,
  { observed, finding }: { readonly observed: Pick<Observed, "sent" | "pace">; readonly finding: Finding },
  { from, to }: { readonly from: string; readonly to: string },
): string | undefined {
  const checks = checksOf(finding, observed.sent);
  if (challenge.offset > 0 || challenge.templates !== undefined || checks === undefined) return undefined;
  const document = parseDocument(text);
  const steps = document.get("steps");
  if (!isSeq(steps)) return undefined;
  const { name, about, behaviour, faults, releasedBy, patienceMs } = challenge;
  const node = (value: unknown) => document.createNode(value);
  const armed = faults.map((fault) => ({ fault }));
  const written = steps.items.flatMap((step) => {
    const [key = ""] = Object.keys((step as { toJSON(): object }).toJSON());
    return releasedBy !== undefined && PASSIVE.has(key)
      ? [node({ clearFaults: true }), step, ...armed.map(node)]
      : [step];
  });
  steps.items = [
    ...(behaviour === undefined ? [] : [node({ behaviour })]),
    ...armed.map(node),
    ...written,
    node({ wait: Math.max(PATIENT_QUIET_MS, observed.pace.quietMs) + (patienceMs ?? 0) }),
    ...checks.map(node),
  ];
  if (patienceMs !== undefined)
    document.set("within", waitMs(undefined, document.get("within") as Duration | undefined) + patienceMs);
  document.set("name", `${document.get("name") ?? "Scenario"}: ${name}`);
  const fixtures = document.get("fixtures");
  if (typeof fixtures === "string" && !isAbsolute(fixtures))
    document.set("fixtures", relative(dirname(to), join(dirname(from), fixtures)));
  for (const key of ["survives", "tolerates"]) document.delete(key);
  document.commentBefore = ` ${about}`;
  return document.toString({ lineWidth: 110 });
}

/** Steps for the end, one of which fails if the program breaks, unless an earlier step does; undefined if none can. */
function checksOf({ step, broke, expected, seen }: Finding, sent: number): object[] | undefined {
  const count = { control: "POST /verify", body: { requests: SENT, count: sent } };
  if (step !== undefined || broke === EXITED) return [count];
  if (!isObject(expected) || !isObject(seen)) return undefined;
  const facts = Object.entries(expected);
  const more = facts
    .filter(([what]) => SENT_COUNT.test(what))
    .reduce((sum, [what, value]) => sum + Number(seen[what]) - Number(value), 0);
  const checks = facts.flatMap(([what, value]) => checkOf(what, value) ?? []);
  return more === 0 && checks.length === 0 ? undefined : [count, ...checks];
}

/** A step that checks a fact of the final state. */
function checkOf(what: string, value: unknown): object | undefined {
  if (what === FAILED)
    return { control: "POST /verify", body: { deliveries: { status: "failed" }, count: value ?? 0 } };
  const [, kind, id, field = ""] = /^(thread|customer) (\S+): (\w+)$/.exec(what) ?? [];
  if (kind === undefined || value === null) return undefined;
  const values =
    kind === "customer"
      ? { [field]: JSON.parse(String(value)) }
      : { [field === "business" ? "businessId" : field]: value };
  return { expect: { state: { collection: `${kind}s`, id, values } } };
}

export const fileNameOf = (scenario: string, { name }: Challenge): string =>
  `${`${scenario} ${name}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")}.yaml`;

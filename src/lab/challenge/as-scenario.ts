/** Writes a break as a scenario file: the original scenario with the change in it. */
import { dirname, join, relative } from "node:path";
import { isSeq, parseDocument } from "yaml";
import type { Duration } from "../../kernel/duration.js";
import { isPassive, waitMs } from "../../scenarios/step.js";
import { STEPS } from "../../scenarios/steps/index.js";
import type { Challenge } from "./kinds.js";

/** How long to wait at the end before counting messages. */
const SILENCE = "300ms";

/** Matches messages by the system under test. */
export const SENT = { operation: "sendMessageToCustomerThread", by: "client", succeeded: true } as const;

const PASSIVE: ReadonlySet<string> = new Set(STEPS.flatMap((kind) => (isPassive(kind) ? [kind.key] : [])));

interface Places {
  readonly from: string;
  readonly to: string;
}

/**
 * @param sent how many messages the system under test sends in an unchanged run, and must send here
 * @returns undefined if the change is one of the fixture, which a scenario cannot express
 */
export function asScenario(
  text: string,
  challenge: Challenge,
  sent: number,
  { from, to }: Places,
): string | undefined {
  if (challenge.offset > 0 || challenge.templates !== undefined) return undefined;
  const document = parseDocument(text);
  const steps = document.get("steps");
  if (!isSeq(steps)) return undefined;
  const { name, about, behaviour, faults, releasedBy, patienceMs } = challenge;
  const node = (value: unknown) => document.createNode(value);
  const armed = faults.map((fault) => ({ fault }));
  const written = steps.items.flatMap((step) => {
    const [key] = Object.keys((step as { toJSON(): object }).toJSON());
    const isReleased = releasedBy !== undefined && key !== undefined && PASSIVE.has(key);
    return isReleased ? [node({ clearFaults: true }), step, ...armed.map(node)] : [step];
  });
  steps.items = [
    ...(behaviour === undefined ? [] : [node({ behaviour })]),
    ...armed.map(node),
    ...written,
    ...(document.has("thread") ? [node({ silent: SILENCE })] : []),
    node({ control: "POST /verify", body: { requests: SENT, count: sent } }),
  ];
  if (patienceMs !== undefined)
    document.set("within", waitMs(undefined, document.get("within") as Duration | undefined) + patienceMs);
  document.set("name", `${document.get("name") ?? "Scenario"}: ${name}`);
  const fixtures = document.get("fixtures");
  if (typeof fixtures === "string")
    document.set("fixtures", relative(dirname(to), join(dirname(from), fixtures)));
  for (const key of ["survives", "tolerates"]) document.delete(key);
  document.commentBefore = ` ${about}`;
  return document.toString({ lineWidth: 110 });
}

export const fileNameOf = (scenario: string, { name }: Challenge): string =>
  `${`${scenario} ${name}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")}.yaml`;

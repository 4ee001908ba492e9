import { isOutside } from "../../../src/client/log-entries.js";
import { maskedAddress } from "../../../src/kernel/masking.js";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { controlCurl } from "../lib/curl";
import type { Recording } from "../model/recording";
import type { Session } from "../model/session";

const json = (value: unknown): string => JSON.stringify(value);
const linesOf = (scenario: object, indent: string): string =>
  Object.entries(scenario)
    .map(([key, value]) =>
      key === "steps"
        ? `${indent}steps: [\n${value.map((step: unknown) => `${indent}  ${json(step)},\n`).join("")}${indent}],\n`
        : `${indent}${key}: ${json(value)},\n`,
    )
    .join("");
const notesOf = ({ notes }: Recording, sign: string): string =>
  notes.map((note) => `${sign} Note: ${note}\n`).join("");

/** Splits off what a scenario sets before it starts: a test passes it to `createTest` before it connects the bot. */
function withoutStart({ fixtures, behaviour, clock, seed, ...rest }: Recording["scenario"]) {
  return { start: omitUndefined({ fixtures, behaviour, clock, seed }), rest };
}

/** A recording as a test in vitest. */
export function vitestOf({ tables }: Session, recording: Recording): string {
  const { start, rest } = withoutStart(recording.scenario);
  const webhook = [...tables.webhooks.records.values()].find(isOutside);
  const url = maskedAddress(webhook?.url ?? "http://127.0.0.1:3000/hook");
  const isPlain = Object.keys(start).length === 0;
  return `import { ${isPlain ? "test" : "createTest"} } from "messaging-sim/vitest";
import { expect } from "vitest";

${notesOf(recording, "//")}${isPlain ? "" : `const test = createTest(${json(start)});\n\n`}test(${json(rest.name)}, async ({ sandbox }) => {
  // Your client calls sandbox.url. Each webhook call carries an API token in the header "token".
  await sandbox.connect(process.env.BOT_URL ?? ${json(url)}, { header: "token" });
  const report = await sandbox.run({
${linesOf(rest, "    ")}  });
  expect(report.steps.find(({ ok }) => !ok)).toBeUndefined();
}, 60_000);
`;
}

/** A recording as a shell script. */
export function curlOf(session: Session, recording: Recording): string {
  const { rest } = withoutStart(recording.scenario);
  const call = controlCurl(session, "/scenarios/run", { scenario: rest }).replace(/^curl/, "curl -fsS");
  return `#!/bin/sh
# ${rest.name}: runs in the sandbox as it stands, with the bot that is connected.
${notesOf(recording, "#")}
report=$(${call}) || exit
printf '%s\\n' "$report"
case $report in *'"ok":false'*) exit 1 ;; esac
`;
}

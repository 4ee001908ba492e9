/** `messaging-sim calibrate`: compares recordings of the real service with the table of undocumented behaviour. */

import { writeFile } from "node:fs/promises";
import { reasonOf } from "../kernel/errors.js";
import { omitUndefined } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import { jsonText } from "../kernel/reports.js";
import { readTrace } from "../lab/calibrate/har.js";
import { markdownCalibration, prettyCalibration } from "../lab/calibrate/report.js";
import { asText, command, optional, optionalWords, refused, reporters } from "./command.js";
import { readText } from "./files.js";
import { PROBE_OPTIONS, probeProblems, probeTrace } from "./probe.js";
import { FAILED, OK } from "./terminal.js";

const REPORTERS = {
  pretty: prettyCalibration,
  json: jsonText,
  markdown: markdownCalibration,
};

/** `messaging-sim calibrate <recording.har…>`, or `--against URL` */
export const CALIBRATE = command({
  options: {
    recording: optionalWords(
      "HAR files from messaging-sim proxy, a browser, mitmproxy or Playwright; not with --against",
    ),
    ...PROBE_OPTIONS,
    fixtures: optional("fixture file with the state at the start of the recording", asText),
    out: optional("behaviour file to write the measured values to, with their evidence", asText),
    expect: optional(
      "behaviour file of an earlier calibration; exit code 1 if something has changed",
      asText,
    ),
    reporter: reporters(REPORTERS),
  },
  examples: {
    "messaging-sim calibrate session.har --out observed.yaml":
      "measures the service that session.har was recorded from",
    "messaging-sim calibrate tonight.har --expect observed.yaml --reporter markdown":
      "reports changes since then",
    "messaging-sim calibrate --against https://api.example --token KEY --thread 9001 --plan":
      "shows the plan of the probes",
  },
  exits: {
    0: "nothing contradicts the specification, and nothing has changed",
    1: "the service contradicts the specification, or has changed since --expect",
    2: "a file or option is unusable, or the service cannot be probed",
    130: "the probes were interrupted, and their changes undone",
  },
  problems: probeProblems,
  run: async ({ recording, fixtures, out, expect, reporter, against, ...probes }, terminal) => {
    if ((recording.length === 0) === (against === undefined))
      return refused("name HAR files, or the service with --against", "recording");
    const { learn } = await import("../lab/calibrate/learn.js");
    const { expectation, observedFile } = await import("../lab/calibrate/observed.js");
    const fixture = fixtures === undefined ? undefined : await fixtureIn(fixtures);
    const before = expect === undefined ? undefined : await behaviourIn(expect);
    const trace =
      against === undefined ? await readTrace(recording) : await probeTrace({ ...probes, against }, terminal);
    if (typeof trace === "number") return trace;
    const calibration = await learn(trace, { fixture });
    if (out !== undefined)
      await writeFile(out, observedFile(calibration)).catch((error) =>
        refused(`cannot be written: ${reasonOf(error)}`, "--out"),
      );
    const expected =
      expect === undefined || before === undefined ? undefined : expectation(expect, before, calibration);
    const ok = calibration.ok && (expected?.drift.length ?? 0) === 0;
    terminal.out(REPORTERS[reporter]({ ...calibration, ok, ...omitUndefined({ expected }) }));
    return ok ? OK : FAILED;
  },
});

async function fixtureIn(file: string) {
  const { FixtureLoader } = await import("../service/world/load.js");
  const loaded = await new FixtureLoader().readFixtureText(await readText(file), file);
  if (loaded.problems !== undefined) throw new UnusableDocument(loaded.problems);
  return loaded.document;
}

async function behaviourIn(file: string) {
  const { filesOf } = await import("../server/start.js");
  const read = await filesOf({ behaviour: file });
  return typeof read.behaviour === "object" ? read.behaviour : {};
}

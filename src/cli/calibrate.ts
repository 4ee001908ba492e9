/** `messaging-sim calibrate`: recordings of the real service against the table of undocumented behaviour. */

import { readFile, writeFile } from "node:fs/promises";
import { UnusableDocument } from "../kernel/problems.js";
import { jsonText } from "../kernel/reports.js";
import type { Calibration } from "../lab/calibrate/report.js";
import { asText, command, oneOf, optional, withDefault, words } from "./command.js";
import { OK, refuse } from "./terminal.js";

/** Exit code: the service contradicts the specification, or is no longer as it was observed. */
const DIFFERENT = 1;

const REPORTERS = { json: (calibration: Calibration) => jsonText(calibration) };

/** `messaging-sim calibrate <recording.har…>` */
export const CALIBRATE = command({
  options: {
    recording: words("HAR files: of messaging-sim proxy, browsers, mitmproxy or Playwright"),
    fixtures: optional("fixture file: the world that the recording began with", asText),
    out: optional("write the measured values to this behaviour file, with their evidence", asText),
    expect: optional("behaviour file of an earlier calibration; exit code 1 if something differs", asText),
    reporter: withDefault(Object.keys(REPORTERS).join(", "), oneOf("reporter", REPORTERS), "json"),
  },
  examples: [
    ["messaging-sim calibrate session.har --out observed.yaml", "measures the service that was recorded"],
  ],
  exits: {
    0: "nothing contradicts the specification or the expected file",
    1: "something contradicts the specification or the expected file",
    2: "a file or option is unusable",
  },
  run: async (values, terminal) => {
    const { learn } = await import("../lab/calibrate/learn.js");
    const { readTrace } = await import("../lab/calibrate/har.js");
    void readFile, writeFile;
    try {
      const trace = await readTrace(values.recording);
      const fixture = undefined;
      const calibration = await learn(trace, { fixture });
      terminal.out(REPORTERS[values.reporter](calibration));
      return calibration.ok ? OK : DIFFERENT;
    } catch (error) {
      if (error instanceof UnusableDocument) return refuse(terminal, error.problems);
      throw error;
    }
  },
});

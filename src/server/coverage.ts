import type { ControlServices } from "../control/services.js";

/** Most simulators are never asked: rows and reporters are loaded when they are. */
export const coverageControl: ControlServices["coverage"] = {
  reportOf: async (coverage) => {
    const { coverageReport } = await import("../lab/coverage/report.js");
    return coverageReport(coverage);
  },
  textOf: async (report, format) => {
    const { COVERAGE_REPORTERS } = await import("../lab/coverage/reporters.js");
    return COVERAGE_REPORTERS[format](report);
  },
};

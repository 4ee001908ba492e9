/** A load for readers: in a terminal, as JSON, as one HTML page. */
import { printableLines } from "../kernel/printable.js";
import { htmlLoad } from "./html.js";
import { prettyLoad } from "./pretty.js";
import type { LoadReport } from "./report.js";

export const LOAD_REPORTERS = {
  pretty: prettyLoad,
  json: (report: LoadReport) => printableLines(`${JSON.stringify(report, null, 2)}\n`),
  html: htmlLoad,
} as const;

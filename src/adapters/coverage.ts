import { writeFile } from "node:fs/promises";
import { controlApi } from "../client/transport.js";
import { environment } from "./environment.js";

/** The formats of the report, by file extension. */
const FORMATS: Readonly<Record<string, string>> = { json: "json", md: "markdown", html: "html" };

const OF_WORKER = "covers this worker's tests only: the global setup of messaging-sim covers the whole run";

/**
 * Prints the coverage of the tests if `MESSAGING_SIM_COVERAGE` is set, and also writes it to a file if that is a file name
 * (.json, .md, .html). Does not fail: the tests are over. `ofWorker`: other workers may write the same file.
 */
export async function tellCoverage(
  url: string,
  controlToken?: string | undefined,
  ofWorker = false,
): Promise<void> {
  const { coverage: wanted } = environment();
  if (wanted === undefined) return;
  const server = controlApi(url, { controlToken });
  const reportIn = (format: string) => server.call("GET", "/coverage", { query: { format } });
  try {
    process.stdout.write(`\n${await reportIn("pretty")}\n`);
    const format = FORMATS[/\.(\w+)$/.exec(wanted)?.[1] ?? ""];
    if (format === undefined) return;
    const report = await reportIn(format);
    await writeFile(wanted, typeof report === "string" ? report : JSON.stringify(report));
    if (ofWorker) process.stderr.write(`MESSAGING_SIM_COVERAGE: ${wanted} ${OF_WORKER}\n`);
  } catch (error) {
    process.stderr.write(`MESSAGING_SIM_COVERAGE: ${(error as Error).message}\n`);
  }
}

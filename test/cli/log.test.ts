import { describe, expect, it } from "vitest";
import { createLogger } from "../../src/cli/serve-log.js";
import { SILENT } from "../../src/kernel/logger.js";

async function linesOf(
  level: "debug" | "info" | "warn" | "error",
  format: "pretty" | "json",
): Promise<string[]> {
  const lines: string[] = [];
  const logger = await createLogger({ level, format }, (text) => lines.push(text));
  logger.debug({ status: 200 }, "a call");
  logger.info({}, "started");
  logger.warn({ webhook: "1", code: undefined, tried: [1] }, "held back");
  logger.error({ err: new Error("lost") }, "failed");
  return lines;
}

describe("the log", () => {
  it("has lines for people, from its level on", async () => {
    const [call, start, warning, failure] = await linesOf("debug", "pretty");
    expect(call).toMatch(/^\d\d:\d\d:\d\d\.\d{3} debug a call {2}status=200\n$/);
    expect(start).toMatch(/ info {2}started\n$/);
    expect(warning).toMatch(/ warn {2}held back {2}webhook=1 tried=\[1\]\n$/);
    expect(failure).toMatch(/ error failed\nError: lost\n {4}at /);
    expect(await linesOf("warn", "pretty")).toHaveLength(2);
  });

  it("has a JSON object each", async () => {
    const lines = (await linesOf("info", "json")).map((line) => JSON.parse(line));
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ["info", "started"],
      ["warn", "held back"],
      ["error", "failed"],
    ]);
    expect(lines[1]).toMatchObject({ webhook: "1", tried: [1] });
    expect(lines[2].err).toMatchObject({ message: "lost" });
  });

  it("is nothing at silent", async () => {
    expect(await createLogger({ level: "silent", format: "json" }, () => {})).toBe(SILENT);
  });
});

import { expect, test } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { configSchema, namesIn, SERVE_OPTIONS } from "../../src/server/config/options.js";
import { linesOf } from "./resolve.js";

const validate = createAjv().compile(configSchema);

test("the schema of config files has a described key for each option", () => {
  const { properties } = configSchema as { properties: Record<string, { description?: string }> };
  expect(Object.keys(properties)).toEqual(["$schema", ...namesIn("file")]);
  for (const name of namesIn("file"))
    expect(properties[name]?.description).toContain(SERVE_OPTIONS[name].description);
});

test.each<[unknown]>([
  [{}],
  [{ $schema: "https://example.test/config.json", port: 0, strict: true }],
  [{ port: 4020, host: "127.0.0.1", behaviour: "documented", "journal-limit": 10_000 }],
  [{ "log-level": "info", "log-format": "pretty" }],
  [{ port: "x" }],
  [{ port: 65_536 }],
  [{ prot: 1 }],
  [{ config: "x" }],
  [{ "allow-host": "a" }],
  [{ "allow-host": ["a", "b.test"], "rewrite-host": ["a=b"] }],
  [{ "rewrite-host": ["a"] }],
  [{ set: { "window.duration": "24h", "limits.rate": { requests: 1, per: "1m" } } }],
  [{ set: { "window.duration": "a while" } }],
  [{ set: { unknown: 1 } }],
  [{ faults: [{ on: "delivery", then: "slow" }] }],
  [{ faults: [{ on: "delivery", then: "quick" }] }],
  [{ seed: 1.5 }],
  [{ clock: "today" }],
  [[]],
])("the schema of config files accepts what serve accepts: %j", async (value) => {
  const files = { "s.json": JSON.stringify(value) };
  expect(validate(value)).toBe((await linesOf(["--config=s.json"], { files })).length === 0);
});

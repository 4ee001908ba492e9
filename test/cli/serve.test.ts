import { expect, it } from "vitest";
import { createLogger } from "../../src/cli/serve.js";
import { filesFor } from "../support/folder.js";
import { serve } from "./terminal.js";

const file = filesFor("serve");

it("takes options from flags, environment and file", async () => {
  const config = file("sim.yaml", "log-level: warn\nset: { limits.webhooks: 7, limits.textLength: 9 }\n");
  const { control, out } = await serve(["--config", config], {
    MESSAGING_SIM_PORT: "1",
    MESSAGING_SIM_SET: "limits.webhooks=8",
    MESSAGING_SIM_PROT: "1",
  });
  expect(out()).toMatch(/ warn {2}ignored the unknown environment variable MESSAGING_SIM_PROT/);
  const rows = (await control("GET /behaviour")).body as { key: string; value: unknown }[];
  const inForce = (name: string) => rows.find(({ key }) => key === name)?.value;
  expect([inForce("limits.webhooks"), inForce("limits.textLength")]).toEqual([8, 9]);
});

it("logs a line for each call at level debug", async () => {
  const { url, out } = await serve(["--log-level=debug", "--log-format=json"]);
  await fetch(`${url}/api/nowhere?x=1`);
  await expect.poll(() => out().trimEnd().split("\n")).toHaveLength(2);
  expect(JSON.parse(out().split("\n")[1] ?? "")).toMatchObject({
    level: "debug",
    msg: expect.stringMatching(/^GET \/api\/nowhere\S* 404$/),
  });
});

it("logs lines for people from a level on, each with its fields and an error with its trace", async () => {
  const lines: string[] = [];
  const logger = await createLogger({ level: "warn", format: "pretty" }, (text) => lines.push(text));
  logger.info({}, "started");
  logger.warn({ webhook: "1", code: undefined, tried: [1] }, "held back");
  logger.error({ err: new Error("lost") }, "failed");
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} warn {2}held back {2}webhook=1 tried=\[1\]\n$/),
    expect.stringMatching(/ error failed\nError: lost\n {4}at /),
  ]);
});

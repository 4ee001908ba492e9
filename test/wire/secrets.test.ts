/** What addresses and headers hide: every reader that is made for other eyes shows `***`, and no log line holds it. */
import { beforeEach, expect, it } from "vitest";
import { runScenario } from "../../src/scenarios/run.js";
import { request, talk } from "../hostile/raw.js";
import { recordOf } from "../recording/recorder.js";
import { read } from "../scenarios/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { settled } from "./client.js";

const SECRET = /PASSWORD1|KEY1|TOKEN1|SECRET1|HEADER1|SIG1/;
/** Nothing listens there. */
const ADDRESS =
  "http://alice:PASSWORD1@127.0.0.1:9/hook?tenant=5&key=KEY1&token=TOKEN1&s%65cret=SECRET1&sig=SIG1";
const MASKED = "http://***@127.0.0.1:9/hook?tenant=5&key=***&token=***&s%65cret=***&sig=***";

let sim: Running;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const log = (...words: unknown[]) => void lines.push(JSON.stringify(words));
  const logger = { debug: log, info: log, warn: log, error: log };
  const set = { "delivery.attempts": 1 } as const;
  sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", set, logger, logCalls: true });
  await sim.control("DELETE /data/webhooks/1");
  const headers = {
    "x-auth": "HEADER1",
    "x-functions-key": "HEADER1",
    referer: "http://u:PASSWORD1@a.example/?code=SIG1",
  };
  const body = {
    url: ADDRESS,
    subscribedEvents: ["messages"],
    extraHeaders: [{ name: "x-auth", value: "HEADER1" }],
  };
  const made = await sim.api("POST /api/webhooks/?secret=SECRET1&page=2", body, { headers });
  expect([made.status, made.body.url]).toEqual([200, ADDRESS]);
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await settled(sim);
  const [delivery] = (await sim.control("GET /deliveries")).body;
  expect([delivery.status, delivery.url]).toEqual(["failed", ADDRESS]);
});

it("masked calls", async () => {
  const { body } = await sim.control("GET /requests?mask=true");
  expect(JSON.stringify(body)).not.toMatch(SECRET);
  expect(body[0]).toMatchObject({
    query: { secret: "***", page: "2" },
    headers: { "x-auth": "***", "x-functions-key": "***", referer: "http://***@a.example/?code=***" },
    body: { url: MASKED },
    response: { url: MASKED },
    warnings: [{ code: "insecure-url" }],
  });
  expect(JSON.stringify((await sim.control("GET /requests")).body)).toMatch(SECRET);
});

it("masked deliveries", async () => {
  const { body } = await sim.control("GET /deliveries?mask=true");
  expect(JSON.stringify(body)).not.toMatch(SECRET);
  expect(body[0]).toMatchObject({ url: MASKED, headers: { "x-auth": "***" } });
});

it("a call whose target is a whole address", async () => {
  await talk(sim.url, [request("GET ftp://alice:PASSWORD1@127.0.0.1/api/webhooks")]);
  const { body } = await sim.control("GET /requests?mask=true&status=404");
  expect(body).toMatchObject([{ path: "ftp://***@127.0.0.1/api/webhooks" }]);
  expect(JSON.stringify(body)).not.toMatch(SECRET);
  expect(lines.join("\n")).toContain("GET ftp://***@127.0.0.1/api/webhooks 404");
  expect(lines.join("\n")).not.toMatch(SECRET);
});

it("transcripts in both forms", async () => {
  for (const format of ["json", "md"]) {
    const { body } = await sim.control(`GET /threads/9001/transcript?format=${format}`);
    expect(JSON.stringify(body)).toContain(MASKED);
    expect(JSON.stringify(body)).not.toMatch(SECRET);
  }
});

it("warnings and pings", async () => {
  const warnings = JSON.stringify((await sim.control("GET /warnings")).body);
  expect(warnings).toContain(MASKED);
  expect(warnings).not.toMatch(SECRET);
  const [{ id }] = (await sim.control("GET /data/webhooks?url:contains=hook")).body;
  const { body } = await sim.control(`POST /webhooks/${id}/ping`);
  expect(body.ok).toBe(false);
  expect(JSON.stringify(body)).not.toMatch(SECRET);
});

it("log lines", async () => {
  expect(lines.join("\n")).toContain(`delivery d1 to ${MASKED} failed`);
  expect(lines.join("\n")).toContain("contract warning");
  expect(lines.join("\n")).not.toMatch(SECRET);
});

it("reports", async () => {
  const scenario = await read(
    'name: one\nthread: "9001"\nwithin: 50ms\nsteps:\n  - customer: Hi\n  - delivered: message\n',
  );
  const report = await runScenario(scenario, { url: sim.url, sandbox: "default" });
  expect(report.ok).toBe(false);
  expect(JSON.stringify(report)).toContain("***@127.0.0.1:9/hook");
  expect(JSON.stringify(report)).not.toMatch(SECRET);
});

it("recordings", async () => {
  const text = await recordOf(sim, "default");
  expect(text).toContain("127.0.0.1:9/hook");
  expect(text).not.toMatch(SECRET);
});

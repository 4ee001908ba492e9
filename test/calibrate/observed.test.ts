/** Measured values as a source: the behaviour file, the table, the header, and the comparison with a later recording. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/terminal.js";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { recorded } from "./session.js";

const file = filesFor("calibrate");
/** What is measured here. */
const MEASURED = { "webhooks.response": "wrapped", "auth.invalid": { status: 401, body: { code: 7 } } };

async function recording(name: string, behaviour: Record<string, unknown>): Promise<string> {
  const entries = await recorded(behaviour, async (s) => {
    await s.details(9001);
    await s.details(9001, { token: "unknown-key" });
    await s.subscribe("https://bot.example/a", ["messages"]);
    await s.get("/api/webhooks/");
  });
  return file(name, JSON.stringify({ log: { entries } }));
}

describe("a calibration as a command", () => {
  let har = "";
  let observed = "";
  beforeAll(async () => {
    har = await recording("first.har", MEASURED);
    observed = file("observed.yaml", "");
    const { code, err } = await run(["calibrate", har, "--out", observed, "--reporter", "json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("prints the report that programs read", async () => {
    const report = JSON.parse((await run(["calibrate", har, "--reporter", "json"])).out);
    expect(report).toMatchObject({
      ok: true,
      exchanges: { total: 4, agree: 1, explained: 3, contradict: 0, unjudged: 0 },
      contradictions: [],
      unjudged: [],
    });
    const learned = report.learned.find(({ key }: { key: string }) => key === "auth.invalid");
    expect(learned).toEqual({
      key: "auth.invalid",
      value: MEASURED["auth.invalid"],
      default: { status: 401, body: { error: "Invalid API token" } },
      evidence: [
        {
          file: expect.stringContaining("first.har"),
          exchange: 1,
          operation: "getCustomerThreadDetails",
          at: "2026-01-05T09:00:01.000Z",
          shows: '401 {"code":7}',
        },
      ],
      against: [],
    });
    expect(report.open).toContain("window.duration");
    expect(report.open).not.toContain("webhooks.response");
  });

  it("begins with the world of a fixture, and finds out which key stands for which", async () => {
    const words = ["--fixtures", "fixtures/default.json", "--reporter", "json"];
    const { code, out } = await run(["calibrate", har, ...words]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ exchanges: { explained: 3, unjudged: 0 } });
    expect((await run(["calibrate", har, "--fixtures", observed])).code).toBe(2);
  });

  it("prints reports for people and for issues", async () => {
    expect((await run(["calibrate", har])).out).toContain('webhooks.response: "wrapped"  (default "record")');
    expect((await run(["calibrate", har, "--reporter", "markdown"])).out).toContain(
      '| webhooks.response | "wrapped" | "record" |',
    );
  });

  it("writes a behaviour file that says what was measured, until another value is set", async () => {
    expect(await readFile(observed, "utf8")).toContain('"webhooks.response": "wrapped"');
    expect(await run(["check", observed])).toMatchObject({ code: 0 });
    const { api, control } = await startSimulator({ behaviour: observed });
    const row = async (key: string) =>
      (await control("GET /behaviour")).body.find((one: { key: string }) => one.key === key);
    expect(await row("webhooks.response")).toMatchObject({
      value: "wrapped",
      source: "observed",
      evidence: { at: expect.stringMatching(/^2026-01-05/), exchanges: [{ operation: "createWebhook" }] },
    });
    expect(await row("window.duration")).toMatchObject({ source: "assumed" });
    expect(await row("window.duration")).not.toHaveProperty("evidence");
    const { headers } = await api("GET /api/webhooks/", undefined, { token: "nobody" });
    expect(headers.get("x-sim-behaviour-source")).toBe("observed");
    await control("PATCH /behaviour", { "webhooks.response": "record" });
    expect((await row("webhooks.response")).source).toBe("assumed");
    expect((await row("auth.invalid")).source).toBe("observed");
  });

  it("ends with 1 where the service is no longer as observed, and says how old that is", async () => {
    expect((await run(["calibrate", har, "--expect", observed])).code).toBe(0);
    const changed = { ...MEASURED, "auth.invalid": { status: 401, body: { code: 8 } } };
    const later = await recording("later.har", changed);
    const { code, out } = await run(["calibrate", later, "--expect", observed]);
    expect(code).toBe(1);
    expect(out).toMatch(/Compared with .*observed\.yaml, \d+ days old/);
    expect(out).toContain(
      'auth.invalid: was {"status":401,"body":{"code":7}}, is {"status":401,"body":{"code":8}}',
    );
  });

  it("ends with 2 and names the file that is unusable", async () => {
    const { code, err } = await run(["calibrate", har, "--expect", "no-such.yaml"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("no-such.yaml") });
  });
});

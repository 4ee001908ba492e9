/** `state --bundle` writes what `serve --bundle` opens, and `check` knows it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { run, serve } from "./terminal.js";

const file = filesFor("bundle-cli");

it("hands a sandbox over as one file", async () => {
  const here = await startSimulator();
  await here.control("POST /threads/9001/inbound", { text: "Zażółć 👋" });
  await here.api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Good day" });
  await here.control("POST /wait", { for: "idle" });

  const taken = await run(["state", "--bundle"], { MESSAGING_SIM_URL: here.url });
  expect([taken.code, taken.err]).toEqual([0, ""]);
  const bundle = file("case.json", taken.out);
  expect(await run(["check", bundle])).toEqual({
    code: 0,
    out: `${bundle}  ok (bundle: 1 call, 2 deliveries, 1 warning, 1 control call, 0 changes of threads)\n`,
    err: "",
  });
  const there = await serve(["--bundle", bundle]);
  for (const path of ["state", "requests", "deliveries", "warnings", "controls", "changes", "faults"])
    expect((await there.control(`GET /${path}`)).body).toEqual((await here.control(`GET /${path}`)).body);
  const { body: clock } = await there.control("GET /clock");
  expect(clock).toEqual({ now: JSON.parse(taken.out).journal.at, frozen: true });
  expect(there.out()).toContain(`${bundle} is open, with its clock frozen`);
  expect(there.out()).toContain(`${there.url}/__sim/ui/`);
});

it("prints the state as a fixture", async () => {
  const { url, control } = await startSimulator({ controlToken: "secret" });
  const fixtures = { organizations: [{ id: "1", name: "Alone" }] };
  await control("POST /sandboxes", { id: "s1", fixtures }, { authorization: "Bearer secret" });
  const words = ["state", "--url", url, "--sandbox", "s1"];
  const printed = await run([...words, "--control-token", "secret"]);
  expect(printed.code).toBe(0);
  expect(printed.out).toContain('\n  "organizations": [\n');
  expect(JSON.parse(printed.out)).toMatchObject(fixtures);
  const asItCame = await run([...words, "--json"], { MESSAGING_SIM_CONTROL_TOKEN: "secret" });
  expect(asItCame.out.trim().split("\n").length).toBe(1);
  expect(JSON.parse(asItCame.out)).toEqual(JSON.parse(printed.out));
  expect((await run(["check", file("state.json", printed.out)])).out).toContain(
    "ok (fixture: 1 organization)",
  );
  const refused = (text: string) => ({ code: 2, out: "", err: expect.stringContaining(text) });
  expect(await run(words)).toEqual(refused("401"));
  const elsewhere = ["state", "--url", url, "--sandbox", "none", "--control-token", "secret"];
  expect(await run(elsewhere)).toEqual(refused('there is no sandbox "none"; sandboxes: default'));
});

describe("exit code 2", () => {
  it("for an answer that breaks off", async () => {
    const url = await serverOf((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{ "organizations": [', () => response.destroy());
    });
    const { code, err } = await run(["state", "--bundle", "--url", url]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("the response was cut off, so the output is incomplete"),
    ]);
  });

  it.each([
    [["state", "--url", "nowhere"], "--url: must be an http or https URL"],
    [["state", "--bundle", "--url", "http://127.0.0.1:9"], "no simulator answers at http://127.0.0.1:9: "],
    [["serve", "--bundle", "missing.json"], "missing.json  cannot be read: there is no such file"],
  ])("%j", async (words, message) => {
    expect(await run(words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  });

  it("names the option beside which a bundle cannot stand, or the file's place", async () => {
    const opened = (bundle: string, ...words: string[]) => run(["serve", "--bundle", bundle, ...words]);
    const noBundle = file("fixture.json", readFileSync("fixtures/default.json", "utf8"));
    expect(await opened(noBundle)).toMatchObject({
      code: 2,
      err: `${noBundle}:1:1  is not a bundle of messaging-sim state --bundle: it has no "simulator"\n`,
    });
    const wrong = file("wrong.json", '{\n"simulator": {},\n"journal": {\n"at": "now" } }\n');
    const { code, out, err } = await opened(wrong);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`${wrong}:4:7  journal.at: must be an integer, but is a string\n`);
    expect((await run(["check", wrong])).out).toBe(err);
    const torn = file("torn.json", '{ "simulator": {');
    expect((await opened(torn)).err).toContain(`${torn}:1:`);
    expect(await opened(noBundle, "--fixtures", noBundle, "--data", "folder")).toMatchObject({
      code: 2,
      err: "--fixtures: cannot be combined with a bundle, which has its own state\n--data: cannot be combined with a bundle, which is never saved\n",
    });
  });
});

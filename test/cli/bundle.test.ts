/** `state --bundle` writes what `serve --bundle` opens, and `check` knows it. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run, serve } from "./terminal.js";

const file = filesFor("bundle-cli");

it("hands a sandbox over as one file", async () => {
  const here = await startSimulator();
  await here.control("POST /threads/9001/inbound", { text: "Zażółć 👋" });
  await here.api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text: "Good day" });
  await here.control("POST /wait", { for: "idle" });

  const taken = await run(["state", "--bundle"], { MESSAGING_SIM_URL: here.url });
  expect([taken.code, taken.err]).toEqual([0, ""]);
  const bundle = file("case.json", taken.out);
  const { code, out, err } = await run(["check", bundle]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(
    /case\.json {2}ok \(bundle: 2 organizations, .*, 24 messages, 3 templates, 1 webhook\)\n$/,
  );
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
  const state = (...words: string[]) =>
    run(["state", "--url", url, "--control-token", "secret", "--sandbox", ...words]);
  const printed = await state("s1");
  expect(printed).toMatchObject({ code: 0, out: expect.stringContaining('\n  "organizations": [\n') });
  expect(JSON.parse(printed.out)).toMatchObject(fixtures);
  const { out } = await state("s1", "--json");
  expect([out.trim().split("\n").length, JSON.parse(out)]).toEqual([1, JSON.parse(printed.out)]);
  const checked = await run(["check", file("state.json", printed.out)]);
  expect(checked.out).toContain("ok (fixture: 1 organization)");
  expect(await state("none")).toEqual(refused('there is no sandbox "none"; sandboxes: default'));
});

it.each([[], ["--json"], ["--bundle"]])("prints nothing of an answer that breaks off %j", async (...form) => {
  const url = await serverOf((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write('{ "organizations": [', () => response.destroy());
  });
  expect(await run(["state", "--url", url, ...form])).toEqual(refused("the response was cut off: "));
});

it("names the option beside which a bundle cannot stand, or the file's place", async () => {
  const opened = (bundle: string, ...words: string[]) => run(["serve", "--bundle", bundle, ...words]);
  const noBundle = file("fixture.json", readFileSync("fixtures/default.json", "utf8"));
  const kind = `${noBundle}:1:1  is not a bundle of messaging-sim state --bundle: it has no "simulator"\n`;
  expect(await opened(noBundle)).toEqual(refused(kind));
  const wrong = file("wrong.json", '{\n"simulator": {},\n"journal": {\n"at": "now" } }\n');
  const refusal = await opened(wrong);
  expect(refusal).toEqual(refused(`${wrong}:4:7  journal.at: must be an integer, but is a string\n`));
  expect((await run(["check", wrong])).out).toBe(refusal.err);
  const torn = file("torn.json", '{ "simulator": {');
  expect(await opened(torn)).toEqual(refused(`${torn}:1:`));
  expect((await opened(noBundle, "--fixtures", noBundle, "--data", "folder")).err).toBe(
    `--fixtures: cannot be combined with a bundle, which has its own state
--data: cannot be combined with a bundle, which is never saved
`,
  );
});

/** `state` prints a fixture. */
import { expect, it } from "vitest";
import { filesFor } from "../support/folder.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const file = filesFor("state-cli");

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

it.each([[], ["--json"]])("prints nothing of an answer that breaks off %j", async (...form) => {
  const url = await serverOf((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write('{ "organizations": [', () => response.destroy());
  });
  expect(await run(["state", "--url", url, ...form])).toEqual(refused("the response was cut off: "));
});

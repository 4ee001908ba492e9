/** `state --bundle` writes what `serve --bundle` opens, and `check` knows it. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { filesFor } from "../support/folder.js";
import { start } from "./program.js";

const file = filesFor("bundle-cli");

async function finished(words: string[], env: Record<string, string> = {}) {
  const program = start(words, env);
  const code = await program.exited;
  return { code, out: program.stdout(), err: program.stderr() };
}

const get = async (url: string, path: string) => (await fetch(url + path)).json();

it("hands a sandbox over as one file", async () => {
  const url = await start(["serve", "--port", "0", "--log-level", "error"]).url();
  const json = { "Content-Type": "application/json" };
  await fetch(`${url}/__sim/threads/9001/inbound`, {
    method: "POST",
    headers: json,
    body: '{"text":"Zażółć 👋"}',
  });
  await fetch(`${url}/api/send-message-to-customer-thread`, {
    method: "POST",
    headers: { ...json, token: "acme-token" },
    body: '{"customerThreadId":9001,"text":"Good day"}',
  });
  await fetch(`${url}/__sim/wait`, { method: "POST", headers: json, body: '{"for":"idle"}' });

  const taken = await finished(["state", "--bundle"], { MESSAGING_SIM_URL: url });
  expect([taken.code, taken.err]).toEqual([0, ""]);
  const bundle = file("case.json", taken.out);
  expect(await finished(["check", bundle])).toEqual({
    code: 0,
    out: `${bundle}  ok (bundle: 1 call, 2 deliveries, 1 warning, 1 control call, 0 changes of threads)\n`,
    err: "",
  });
  const opened = start(["serve", "--port", "0", "--bundle", bundle]);
  const there = await opened.url();
  for (const path of ["state", "requests", "deliveries", "warnings", "controls", "changes", "faults"])
    expect(await get(there, `/__sim/${path}`)).toEqual(await get(url, `/__sim/${path}`));
  expect(await get(there, "/__sim/clock")).toEqual({ now: JSON.parse(taken.out).journal.at, frozen: true });
  let line = await opened.line();
  while (line !== "" && !line.includes("is open as it was taken")) line = await opened.line();
  expect(line).toContain(bundle);
  expect(line).toContain(`${there}/__sim/ui/`);
});

it("prints the state as a fixture", async () => {
  const url = await start(["serve", "--port", "0", "--control-token", "secret"]).url();
  await fetch(`${url}/__sim/sandboxes`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer secret" },
    body: '{"id":"s1","fixtures":{"organizations":[{"id":"1","name":"Alone"}]}}',
  });
  const words = ["state", "--url", url, "--sandbox", "s1"];
  const printed = await finished([...words, "--control-token", "secret"]);
  expect(printed.code).toBe(0);
  expect(printed.out).toContain('\n  "organizations": [\n');
  expect(JSON.parse(printed.out).organizations).toEqual([{ id: "1", name: "Alone" }]);
  const asItCame = await finished([...words, "--json"], { MESSAGING_SIM_CONTROL_TOKEN: "secret" });
  expect(asItCame.out.trim().split("\n").length).toBe(1);
  expect(JSON.parse(asItCame.out)).toEqual(JSON.parse(printed.out));
  expect((await finished(["check", file("state.json", printed.out)])).out).toContain(
    "ok (fixture: 1 organization)",
  );
  expect(await finished(words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining("401") });
  expect(
    await finished(["state", "--url", url, "--sandbox", "none", "--control-token", "secret"]),
  ).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("404"),
  });
});

describe("exit code 2", () => {
  it("for an answer that breaks off", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{ "organizations": [', () => response.destroy());
    });
    onTestFinished(() => void server.close().closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await finished(["state", "--bundle", "--url", url]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("the answer broke off, what was written is not whole"),
    ]);
  });

  it.each([
    [["state", "--url", "nowhere"], "--url: must be an http or https URL"],
    [["state", "--bundle", "--url", "http://127.0.0.1:9"], "no simulator answers there"],
    [["serve", "--bundle", "missing.json"], "missing.json  cannot be read: there is no such file"],
  ])("%j", async (words, message) => {
    expect(await finished(words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  });

  it("names the option beside which a bundle cannot stand, or the file's place", async () => {
    const fixture = readFileSync("fixtures/default.json", "utf8");
    const noBundle = file("fixture.json", fixture);
    expect(await finished(["serve", "--bundle", noBundle])).toMatchObject({
      code: 2,
      err: `${noBundle}:1:1  is no bundle of messaging-sim state --bundle: it has no "simulator"\n`,
    });
    const wrong = file("wrong.json", '{\n"simulator": {},\n"journal": {\n"at": "now" } }\n');
    const { code, out, err } = await finished(["serve", "--bundle", wrong]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`${wrong}:4:7  journal.at: must be an integer, but is a string\n`);
    expect((await finished(["check", wrong])).out).toBe(err);
    const torn = file("torn.json", '{ "simulator": {');
    expect((await finished(["serve", "--bundle", torn])).err).toContain(`${torn}:1:`);
    const beside = await finished([
      "serve",
      "--bundle",
      noBundle,
      "--fixtures",
      noBundle,
      "--data",
      "folder",
    ]);
    expect(beside).toMatchObject({
      code: 2,
      err: "fixtures: cannot stand beside a bundle, which holds its own state\ndata: cannot stand beside a bundle, which is looked at and not kept\n",
    });
  });
});

/** The recipes for other languages, against a simulator that runs. */
import { format } from "@wasm-fmt/gofmt";
import { describe, expect, it } from "vitest";
import { findProgram, findPytest, needs } from "../../scripts/programs.mjs";
import { omitUndefined } from "../../src/kernel/objects.js";
import { createConsumer } from "../package/consumer.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { commandsOf, copy, copyOf, filesOf, read, run } from "./recipes.js";

const ADDRESS = "http://127.0.0.1:4020";
const CONTROL_TOKEN = "test-control";

/** How many sandboxes there have been; the tests that made them have deleted them. */
async function sandboxesMade({ control }: Running): Promise<number> {
  const authorization = { authorization: `Bearer ${CONTROL_TOKEN}` };
  const { id } = (await control("POST /sandboxes", {}, authorization)).body;
  const left = (await control("GET /sandboxes", undefined, authorization)).body as { id: string }[];
  expect(left.map((sandbox) => sandbox.id)).toEqual(["default", id]);
  return Number(id.slice(1)) - 1;
}

/** The last command of a recipe, which finds a simulator with a control token by its environment. */
async function runsAgainst(recipe: string, folder: string, program?: string): Promise<string> {
  const sim = await startSimulator({ controlToken: CONTROL_TOKEN });
  const command = commandsOf(recipe).at(-1) ?? "";
  expect(command).toContain(ADDRESS);
  const env = { MESSAGING_SIM_CONTROL_TOKEN: CONTROL_TOKEN };
  const output = await run(command.replace(ADDRESS, sim.url), { folder, env, ...omitUndefined({ program }) });
  expect(await sandboxesMade(sim)).toBe(2);
  return output;
}

/** Runs pytest for the recipe beside the package, with this text as its tests. */
async function pytest(test: string, env = {}): Promise<string> {
  await using project = await createConsumer();
  copy("pytest", project.folder);
  await project.write({ "test_notify.py": test });
  return await run("python3 -m pytest", { folder: project.folder, program: findPytest(), env });
}

const RETURNS_ONCE = `import pytest
from messaging_sim import Sandbox, SimulatorError
from notify import notify

def test_once(sandbox: Sandbox) -> None:
    for count in range(2):
        notify(sandbox.url, sandbox.token, "9001")
        assert sandbox.wait_for_reply("9001", contains="ready")["id"] == f"r{count + 1}"
    with pytest.raises(SimulatorError, match="2 of 3 matching entries"):
        sandbox.wait_for_reply("9001", contains="ready", timeout_ms=50)
`;

describe("pytest", () => {
  const test = read("pytest", "test_notify.py");

  it("shows the closest calls where a reply does not come", needs("pytest"), async () => {
    const impatient = test.replace('contains="ready"', 'contains="shipped", timeout_ms=100');
    await expect(pytest(impatient)).rejects.toThrow(
      /nearest: r1 POST \/api\/send-message-to-customer-thread\s+E? *body\.text: expected \{"\$contains": "shipped"\}, seen "Your order is ready\."/,
    );
  });

  it("names the address where no simulator answers", needs("pytest"), async () => {
    await expect(pytest(test, { MESSAGING_SIM_URL: "localhost:9" })).rejects.toThrow(
      "SimulatorError: no simulator answers at http://localhost:9 ",
    );
  });

  it("returns each reply once", needs("pytest"), async () => {
    expect(await pytest(RETURNS_ONCE)).toContain("1 passed");
  });

  it(
    "passes with the package alone, and against a simulator with a control token",
    needs("pytest"),
    async () => {
      const python = findPytest();
      const [install, own = ""] = commandsOf("pytest");
      expect(install).toBe("npm i -D messaging-sim");
      await using project = await createConsumer();
      copy("pytest", project.folder);
      expect(await run(own, { folder: project.folder, program: python })).toMatch(
        /test_notify\.py \.\.[\s\S]*2 passed/,
      );
      expect(await runsAgainst("pytest", project.folder, python)).toContain("2 passed");
    },
  );
});

/** The calls of the control API in a text, by their paths below a sandbox. */
const controlCalls = (text: string): string[] =>
  [...text.matchAll(/control\("(\/[\w/]+)", /g)].map(([, path = ""]) => path);
const CALLS = ["/threads/9001/window", "/wait", "/wait"];

describe("Go", () => {
  it("is formatted as gofmt does, and makes the calls that the others make", () => {
    const sources = filesOf("go").filter((file) => file.endsWith(".go"));
    expect(sources).toHaveLength(3);
    for (const file of sources) expect([file, format(read("go", file))]).toEqual([file, read("go", file)]);
    expect(controlCalls(read("go", "notify_test.go")).sort()).toEqual(CALLS);
    expect(() => format("package notify\nfunc (")).toThrow("expected");
  });

  it("passes where there is a go, and would be vetted", async () => {
    const go = findProgram("go");
    if (go === undefined) return expect(commandsOf("go").at(-1)).toMatch(/ go test$/);
    const folder = copyOf("go");
    await run("go vet ./...", { folder, program: go });
    expect(await runsAgainst("go", folder, go)).toMatch(/^ok\s+example\.com\/notify/m);
  });
});

describe("Java", () => {
  it("makes the calls that the others make, and passes where there is a javac", async () => {
    expect(controlCalls(read("java", "NotifyTest.java")).sort()).toEqual(CALLS);
    const [, compile = "", start] = commandsOf("java");
    const javac = findProgram("javac");
    if (javac === undefined)
      return expect([compile, start]).toEqual(["javac -d classes *.java", expect.any(String)]);
    const folder = copyOf("java");
    expect(await run(compile, { folder })).toBe("");
    expect(await runsAgainst("java", folder)).toBe("2 passed\n");
  });
});

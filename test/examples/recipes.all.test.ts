/** The recipes: those for Node with the packed package, those for other languages against a simulator that runs. */
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "@wasm-fmt/gofmt";
import { describe, expect, it } from "vitest";
import { findProgram, findPytest, needs } from "../../scripts/programs.mjs";
import { omitUndefined } from "../../src/kernel/objects.js";
import { addPlaywright, createConsumer, LATEST, PLAYWRIGHT } from "../package/consumer.js";
import { startSimulator } from "../support/simulator.js";
import { commandsOf, copy, copyOf, filesOf, ROOT, read, run, WITH_FIXTURES } from "./recipes.js";

it.each([
  { recipe: "vitest", needs: ["vitest"], passed: /✓ notify\.test\.js .*Tests +2 passed \(2\)/s },
  { recipe: "jest", needs: ["jest"], passed: /PASS \.\/notify\.test\.js.*Tests: +2 passed, 2 total/s },
  { recipe: "node-test", needs: [], passed: /\bpass 2\n/ },
])("$recipe", async ({ recipe, needs, passed }) => {
  const [install, ...commands] = commandsOf(recipe);
  expect(install).toBe(["npm i -D messaging-sim", ...needs].join(" "));
  expect(commands.length).toBeGreaterThan(0);
  await using project = await createConsumer(...(needs.length > 0 ? LATEST : []));
  copy(recipe, project.folder);
  let output = "";
  for (const command of commands) output = await run(command, project);
  expect(output).toMatch(passed);
});

it("Playwright", async () => {
  const [install, browser, command = "", ...none] = commandsOf("playwright");
  expect([install, browser, none]).toEqual([
    "npm i -D messaging-sim @playwright/test",
    "npx playwright install chromium",
    [],
  ]);
  await using project = await createConsumer();
  await addPlaywright(project);
  copy("playwright", project.folder);
  const own = command.replace("npx playwright test", `node ${PLAYWRIGHT.join(" ")}`);
  expect(await run(own, project)).toMatch(/\b2 passed\b/);
});

/** In place of the package `testcontainers`, as far as the recipe uses it: the image's program is that of the package. */
const STAND_IN = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";

  export const Wait = {
    forHttp: (path, port) => ({ path, port, headers: {}, withHeaders(headers) { return { ...this, headers }; } }),
  };

  export class AbstractStartedContainer {
    constructor(started) { this.started = started; }
    getHost() { return this.started.getHost(); }
    getMappedPort(port) { return this.started.getMappedPort(port); }
    stop() { return this.started.stop(); }
  }

  export class GenericContainer {
    #with = { env: {}, files: [] };
    constructor(image) { this.#with.image = image; }
    withEnvironment(env) { Object.assign(this.#with.env, env); return this; }
    withExposedPorts(port) { this.#with.port = port; return this; }
    withWaitStrategy(wait) { this.#with.wait = wait; return this; }
    withCopyFilesToContainer(files) { this.#with.files.push(...files); return this; }
    async start() {
      const { image, env, port, wait, files } = this.#with;
      const words = [...process.env.COMMAND.split(" "), "--port", "0"];
      // Files are where they come from.
      const here = JSON.parse(JSON.stringify(env), (_, value) => files.find(({ target }) => target === value)?.source ?? value);
      const child = spawn(process.execPath, words, { env: here, stdio: ["ignore", "pipe", "inherit"] });
      const [line] = await once(child.stdout, "data");
      const mapped = new URL(/ready at (\\S+)/.exec(line)[1]).port;
      const { status } = await fetch("http://127.0.0.1:" + mapped + wait.path, { headers: wait.headers });
      console.log(image, port, wait.port, status);
      return {
        getHost: () => "localhost",
        getMappedPort: (exposed) => (exposed === port ? Number(mapped) : undefined),
        async stop() { child.kill("SIGTERM"); await once(child, "exit"); },
      };
    }
  }
`;

/** Start and options are those of the image. */
const COMMAND_OF_IMAGE = { COMMAND: `${join(ROOT, "dist/cli/main.js")} serve --host 0.0.0.0` };

async function addStandIn(folder: string): Promise<void> {
  const standIn = join(folder, "node_modules", "testcontainers");
  await mkdir(standIn);
  await writeFile(join(standIn, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  await writeFile(join(standIn, "index.js"), STAND_IN);
}

const USE = `
  import { MessagingSimContainer } from "messaging-sim/testcontainers";
  const container = new MessagingSimContainer("own-image").withFixtures("acme.json").withBehaviour("realistic");
  const simulator = await container.start();
  const names = (await simulator.client.data("organizations").list()).map(({ name }) => name);
  const { value } = (await simulator.client.behaviour()).find(({ key }) => key === "window.duration");
  const { status } = await fetch(simulator.url + "/__sim/state", { headers: { authorization: "Bearer " + simulator.controlToken } });
  console.log(names, value, status === 200, simulator.hostUrl(3000));
  await simulator.stop();
`;

it("Testcontainers, over a stand-in for its package", async () => {
  const [install, moduleType = "", test = "", ...none] = commandsOf("testcontainers");
  expect([install, none]).toEqual(["npm i -D messaging-sim testcontainers", []]);
  await using project = await createConsumer();
  copy("testcontainers", project.folder);
  await addStandIn(project.folder);
  await run(moduleType, project);
  const output = await run(test, { folder: project.folder, env: COMMAND_OF_IMAGE });
  expect(output).toMatch(/\bpass 1\n/);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(output).toContain(`ghcr.io/messaging-sim/messaging-sim:${version} 4020 4020 200`);
});

it("Testcontainers: the container takes fixtures and a behaviour, and says by which address it calls this machine", async () => {
  await using project = await createConsumer();
  await addStandIn(project.folder);
  await project.write({
    "acme.json": JSON.stringify({ organizations: [{ id: "7", name: "Initech" }] }),
    "use.mjs": USE,
  });
  const output = await run("node use.mjs", { folder: project.folder, env: COMMAND_OF_IMAGE });
  expect(output).toContain("own-image 4020 4020 200");
  expect(output).toContain("[ 'Initech' ] 24h true http://host.testcontainers.internal:3000");
});

const ADDRESS = "http://127.0.0.1:4020";
const CONTROL_TOKEN = "test-control";

/** The last command of a recipe, which finds a simulator with a control token by its environment. */
async function runsAgainst(recipe: string, folder: string, program?: string): Promise<string> {
  const sim = await startSimulator({ controlToken: CONTROL_TOKEN });
  const command = commandsOf(recipe).at(-1) ?? "";
  expect(command).toContain(ADDRESS);
  const env = { MESSAGING_SIM_CONTROL_TOKEN: CONTROL_TOKEN, ...WITH_FIXTURES };
  const output = await run(command.replace(ADDRESS, sim.url), { folder, env, ...omitUndefined({ program }) });
  // Each of its two tests has had a sandbox and deleted it: the next one is the third.
  const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
  await sim.control("POST /sandboxes", {}, headers);
  const { body } = await sim.control("GET /sandboxes", undefined, headers);
  expect(body).toMatchObject([{ id: "default" }, { id: "s3" }]);
  return output;
}

/** Runs pytest for the recipe beside the package, with this text as its tests. */
async function pytest(test: string, env = {}): Promise<string> {
  await using project = await createConsumer();
  copy("pytest", project.folder);
  await project.write({ "test_notify.py": test });
  return await run("python3 -m pytest", {
    folder: project.folder,
    program: findPytest(),
    env: { ...WITH_FIXTURES, ...env },
  });
}

const RETURNS_ONCE = `import pytest
from messaging_sim import Sandbox, SimulatorError
from notify import notify

def test_once(sandbox: Sandbox) -> None:
    for count in range(2):
        notify(sandbox.url, sandbox.token, "9001")
        assert sandbox.wait_for_reply("9001", contains="ready")["id"] == f"r{count + 1}"
    with pytest.raises(SimulatorError, match="No reply in thread 9001 within 50 ms"):
        sandbox.wait_for_reply("9001", contains="ready", timeout_ms=50)
`;

const KEEPS_QUIET = `import pytest
from messaging_sim import Sandbox, SimulatorError
from notify import notify

def test_silent(sandbox: Sandbox) -> None:
    sandbox.silent("9001", for_ms=10)
    sandbox.customer_says("9001", "Is it ready?")
    for _ in range(2):
        notify(sandbox.url, sandbox.token, "9001")
    with pytest.raises(SimulatorError, match='^Expected no visible message in thread 9001 for 10 ms, but this arrived: "Your order') as caught:
        sandbox.silent("9001", for_ms=10)
    assert str(caught.value).count("is ready") == 2
    sandbox.wait_for_reply("9001")
    with pytest.raises(SimulatorError, match="this arrived"):
        sandbox.silent("9001", for_ms=10)
    sandbox.customer_says("9001", "Thanks!")
    sandbox.silent("9001", for_ms=10)
    sandbox.control("/reset")
    sandbox.customer_says("9001", "Is it ready?")
    notify(sandbox.url, sandbox.token, "9001")
    with pytest.raises(SimulatorError, match="this arrived"):
        sandbox.silent("9001", for_ms=10)
    with pytest.raises(SimulatorError, match="there is no thread"):
        sandbox.silent("9999", for_ms=10)

def test_why(sandbox: Sandbox) -> None:
    sandbox.customer_says("9001", "Is it ready?")
    with pytest.raises(SimulatorError) as caught:
        sandbox.wait_for_reply("9001", timeout_ms=300)
    first = "No reply in thread 9001 within 300 ms: webhook crm still points to sink:demo, a built-in receiver; call sandbox.connect(url)"
    assert str(caught.value).splitlines()[0].startswith(first)
`;

const MARKED = `import pytest
from messaging_sim import SimulatorError
from notify import notify

@pytest.mark.messaging_sim(behaviour="realistic", clock="2026-01-01T09:00:00Z")
def test_marked(sandbox) -> None:
    sandbox.customer_says("9001", "Is it ready?")
    assert sandbox.advance("25h")["now"] == 1767348000000
    notify(sandbox.url, sandbox.token, "9001")
    sandbox.wait_for_reply("9001", template="order_ready")

def test_fault(sandbox) -> None:
    sandbox.fault(on="request", then="unavailable", times=1)
    with pytest.raises(OSError, match="503"):
        notify(sandbox.url, sandbox.token, "9001")
    notify(sandbox.url, sandbox.token, "9001")
    sandbox.wait_for_reply("9001", contains="ready")
`;

describe("pytest", () => {
  const test = read("pytest", "test_notify.py");

  it("shows the closest calls where a reply does not come", needs("pytest"), async () => {
    const impatient = test.replace('contains="ready"', 'contains="shipped", timeout_ms=100');
    const call = /Nearest:\s+E? *r1 {2}POST \/api\/send-message-to-customer-thread → 200/;
    const seen = /body\.text {2}expected text that contains "shipped"\s+E? +seen {5}"Your order is ready\."/;
    await expect(pytest(impatient)).rejects.toThrow(RegExp(`${call.source}\\s+E? *${seen.source}`));
  });

  it("names the address where no simulator answers", needs("pytest"), async () => {
    await expect(pytest(test, { MESSAGING_SIM_URL: "localhost:9" })).rejects.toThrow(
      "SimulatorError: no simulator answers at http://localhost:9 ",
    );
  });

  it("keeps quiet from the cause on, and says why no reply came", needs("pytest"), async () => {
    expect(await pytest(KEEPS_QUIET)).toContain("2 passed");
  });

  it("returns each reply once", needs("pytest"), async () => {
    expect(await pytest(RETURNS_ONCE)).toContain("1 passed");
  });

  it(
    "starts a sandbox as its marker says, moves its clock and lets calls go wrong",
    needs("pytest"),
    async () => {
      expect(await pytest(MARKED)).toContain("2 passed");
    },
  );

  it("passes with the package alone, and with a control token", needs("pytest"), async () => {
    const program = findPytest();
    const [install, plugin, own = ""] = commandsOf("pytest");
    expect([install, plugin]).toEqual([
      "npm i -D messaging-sim",
      "python3 -m pip install pytest pytest-messaging-sim",
    ]);
    await using project = await createConsumer();
    copy("pytest", project.folder);
    expect(await run(own, { ...project, program, env: WITH_FIXTURES })).toMatch(
      /test_notify\.py \.\.[\s\S]*2 passed/,
    );
    expect(await runsAgainst("pytest", project.folder, program)).toContain("2 passed");
  });
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

it("Java makes the calls that the others make, and passes where there is a javac", async () => {
  expect(controlCalls(read("java", "NotifyTest.java")).sort()).toEqual(CALLS);
  const [, compile = "", start] = commandsOf("java");
  const javac = findProgram("javac");
  if (javac === undefined)
    return expect([compile, start]).toEqual(["javac -d classes *.java", expect.any(String)]);
  const folder = copyOf("java");
  expect(await run(compile, { folder })).toBe("");
  expect(await runsAgainst("java", folder)).toBe("2 passed\n");
});

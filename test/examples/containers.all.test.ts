/** The recipes that run the image, with the program that the image runs and the variables that they give it. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { findPytest, needs } from "../../scripts/programs.mjs";
import { start } from "../cli/program.js";
import { freePort } from "../support/free-port.js";
import { commandsOf, copyOf, folderOf, read, run, WITH_FIXTURES } from "./recipes.js";

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
  return run(command, {
    folder,
    env: { ...WITH_FIXTURES, ...env, MESSAGING_SIM_URL: url },
    program: findPytest(),
  });
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

it(
  "GitLab CI passes with the variables of template and job, which the service gets too",
  PYTEST,
  async () => {
    const { include, test, ...none } = parse(read("gitlab-ci", ".gitlab-ci.yml"));
    expect(none).toEqual({});
    expect(Object.keys(test)).toEqual(["extends", "image", "variables", "script"]);
    const [{ local }] = include;
    const template = parse(read("gitlab-ci", local))[test.extends];
    const [{ name, alias }] = template.services;
    expect([name, `http://${alias}:4020`]).toEqual([
      expect.any(String),
      template.variables.MESSAGING_SIM_URL,
    ]);
    const variables = { ...template.variables, ...test.variables };
    const url = await startImage(variables);
    expect(await runPytest(test.script.at(-1), variables, url)).toContain("2 passed");
  },
);

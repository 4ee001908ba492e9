/** The recipes for Node, in an empty folder with the packed package. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createConsumer, LATEST } from "../package/consumer.js";
import { commandsOf, copy, ROOT, run } from "./recipes.js";

it.each([
  {
    recipe: "vitest",
    needs: ["vitest"],
    passed: /✓ notify\.test\.js \(2 tests\)[\s\S]*Tests +2 passed \(2\)/,
  },
  {
    recipe: "jest",
    needs: ["jest"],
    passed: /PASS \.\/notify\.test\.js[\s\S]*Tests: +2 passed, 2 total/,
  },
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

/** In place of the package `testcontainers`, as far as the recipe uses it: the image's program is that of the package. */
const STAND_IN = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";

  export const Wait = {
    forHttp: (path, port) => ({ path, port, headers: {}, withHeaders(headers) { return { ...this, headers }; } }),
  };

  export class GenericContainer {
    #with = {};
    constructor(image) { this.#with.image = image; }
    withEnvironment(env) { this.#with.env = env; return this; }
    withExposedPorts(port) { this.#with.port = port; return this; }
    withWaitStrategy(wait) { this.#with.wait = wait; return this; }
    async start() {
      const { image, env, port, wait } = this.#with;
      const words = [...process.env.COMMAND.split(" "), "--port", "0"];
      const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "inherit"] });
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

it("Testcontainers, over a stand-in for its package", async () => {
  const [install, moduleType = "", test = "", ...none] = commandsOf("testcontainers");
  expect([install, none]).toEqual(["npm i -D messaging-sim testcontainers", []]);
  await using project = await createConsumer();
  copy("testcontainers", project.folder);
  const standIn = join(project.folder, "node_modules", "testcontainers");
  await mkdir(standIn);
  await writeFile(join(standIn, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  await writeFile(join(standIn, "index.js"), STAND_IN);
  await run(moduleType, project);
  // Start and options are those of the image.
  const env = { COMMAND: `${join(ROOT, "dist/cli/main.js")} serve --host 0.0.0.0` };
  const output = await run(test, { folder: project.folder, env });
  expect(output).toMatch(/\bpass 1\n/);
  expect(output).toMatch(/messaging-sim:\S+ 4020 4020 200/);
});

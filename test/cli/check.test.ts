import { basename, dirname } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { run } from "./terminal.js";

const NOWHERE = 'thread: "90017"\nsteps:\n  - customer: Hello\n';

it("finds a thread that is in no fixture a scenario may start from", async () => {
  const write = scratch();
  const file = write("s.yaml", NOWHERE);
  const known = await run(["check", file]);
  expect(known.code).toBe(2);
  expect(known.out).toBe(
    `${file}:1:9  thread: unknown thread "90017": did you mean "9001"? (checked with the built-in fixture; --url checks with the state of a simulator)\n`,
  );
  const inline = write("inline.yaml", `fixtures: { threads: [] }\n${NOWHERE}`);
  expect((await run(["check", inline])).out).toContain('unknown thread "90017": there is none\n');
  // What another simulator has, only it can say.
  const sim = await startSimulator();
  const thread = { ...(await sim.control("GET /data/threads/9001")).body, id: "90017" };
  await sim.control("POST /data/threads", thread);
  expect(await run(["check", file, "--url", sim.url])).toMatchObject({ code: 0 });
});

it("takes the path of a fixture as it is where that is absolute", async () => {
  const write = scratch();
  const fixture = write("acme.json", "{}");
  const file = write("s.yaml", `fixtures: ${fixture}\nsteps:\n  - log: Hello\n`);
  expect(await run(["check", file])).toMatchObject({ code: 0, out: `${file}  ok (scenario: 1 step)\n` });
  expect((await run(["run", file])).code).toBe(0);
  const relative = write("t.yaml", `fixtures: ./${basename(fixture)}\nsteps:\n  - log: Hello\n`);
  expect((await run(["check", relative])).code).toBe(0);
});

it("knows the challenges that a scenario names", async () => {
  const file = scratch()(
    "s.yaml",
    "steps: [{ log: Hi }]\nsurvives: [duplicated/*]\ntolerates: [duplicatd]\n",
  );
  expect((await run(["check", file])).out).toBe(
    `${file}:3:13  tolerates[0]: unknown challenge "duplicatd": did you mean "duplicated"?\n`,
  );
});

it("checks the files of a folder", async () => {
  const write = scratch();
  const good = write("a.yaml", "steps:\n  - log: Hello\n");
  const bad = write("b.yml", "steps:\n  - lg: Hello\n");
  write("notes.txt", "no document");
  const folder = dirname(good);
  const { code, out } = await run(["check", folder]);
  expect(code).toBe(2);
  expect(out).toBe(
    `${good}  ok (scenario: 1 step)\n${bad}:2:5  steps[0].lg: unknown step "lg": did you mean "log"?\n`,
  );
});

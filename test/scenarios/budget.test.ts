import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { Http } from "../../src/scenarios/http.js";
import { runScenario } from "../../src/scenarios/run.js";
import { openSandbox, startSimulator } from "../support/simulator.js";
import { last, problemsOf, read, runSteps } from "./support.js";

const often = (...steps: object[]) => ({ repeat: { times: 1_000, steps } });
const ENDLESS = [often(often(often({ log: "round ${round}" })))];

describe("placeholders", () => {
  const LONG = "x".repeat(400_000);

  it("of parameters that make too much are refused with their place", async () => {
    const log = (times: number) => ({ params: { x: LONG }, steps: [{ log: "${param:x}".repeat(times) }] });
    expect((await read(log(10))).steps).toHaveLength(1);
    const problem = "steps[0].log: ${param:x}: the placeholders hold more than 4 MiB";
    await expect(read(log(11))).rejects.toThrow(problem);
  });

  it("of outcomes that make too much fail their step", async () => {
    const steps = (times: number) => [
      { control: "GET /threads/9001/transcript", id: "all" },
      { log: "${all.body}".repeat(times) },
    ];
    expect(await runSteps(steps(10))).toMatchObject({ ok: true });
    const { message } = last(await runSteps(steps(10_000)));
    expect(message).toBe("${all.body}: the placeholders hold more than 4 MiB");
  });

  it("are so many and no more", async () => {
    const log = (count: number) => ({ steps: [{ log: "$${x}".repeat(count) }] });
    expect((await read(log(20_000))).steps).toHaveLength(1);
    await expect(read(log(20_001))).rejects.toThrow("must have at most 20000 placeholders");
  });
});

describe("a report", () => {
  it("that gets too long ends the run", async () => {
    const report = await runSteps([{ repeat: { times: 1_000, steps: [{ log: "x".repeat(400_000) }] } }]);
    expect(last(report).message).toBe("the report has more than 16 MiB");
    expect(report.steps.length).toBeLessThan(50);
  });

  it("has the size of a value that is too large", async () => {
    const all = { control: "GET /threads/9001/transcript", id: "all" };
    const report = await runSteps([{ customer: "x".repeat(600_000) }, all, { log: "${all.nothing}" }]);
    expect(last(report).seen).toMatch(/^a value of [\d.]+ MiB$/);
  });
});

describe("regular expressions and problems", () => {
  it("of a scenario are so many and no more", async () => {
    const steps = (count: number) => ({
      thread: "9001",
      steps: Array(count).fill({ reply: { matches: "(a?b?){20}" } }),
    });
    expect((await read(steps(500))).steps).toHaveLength(500);
    await expect(read(steps(501))).rejects.toThrow(
      "steps[500]: makes the texts to look for in the scenario too long in total",
    );
  });

  it("are looked for until there are too many to list", async () => {
    const problems = await problemsOf(`steps:\n${"  - costumer: x\n".repeat(4_900)}`);
    expect(problems).toHaveLength(101);
    expect(problems).toContainEqual(expect.stringContaining("and more, which are not listed"));
  });
});

describe("nested repeats that would take a thousand million steps", () => {
  it("end at the budget of steps", async () => {
    const sim = await startSimulator();
    const { status, body } = await sim.control("POST /scenarios/run", { scenario: { steps: ENDLESS } });
    expect(status).toBe(200);
    expect(body.ok).toBe(false);
    const message = "the run has executed 10000 steps, the limit";
    expect(body.steps.at(-1)).toMatchObject({ ok: false, message });
    // Repeats are steps as well, and have no line: the outermost, one in it, ten in that. The failed one has a line.
    expect(body.steps).toHaveLength(10_000 - 12 + 1);
    expect((await sim.control("GET /health")).status).toBe(200);
  });

  it("end although no step is in them", async () => {
    const sim = await openSandbox();
    const empty = { repeat: { times: 100_000, steps: [] } };
    const steps = [{ repeat: { times: 100_000, steps: [{ repeat: { times: 100_000, steps: [empty] } }] } }];
    const { body } = await sim.control("POST /scenarios/run", { scenario: { steps } });
    expect(body).toMatchObject({ ok: false, steps: [{ message: expect.stringContaining("10000 steps") }] });
  });

  it("end with the connection of their client, and let others through meanwhile", async () => {
    const sim = await startSimulator();
    const steps = [often(often({ request: "GET /api/get-users", expect: {} }))];
    const call = request(`${sim.url}/__sim/scenarios/run`, { method: "POST" });
    call.on("error", () => {});
    call.end(JSON.stringify({ scenario: { token: "acme-token", steps } }));
    const seen = await sim.control("POST /wait", { for: { requests: {}, count: 20 } });
    expect(seen.status).toBe(200);
    call.destroy();
    // The run has no way to say that it is over but to make no more calls.
    await expect
      .poll(async () => {
        const since = (await sim.control("GET /requests?limit=1")).body[0].id;
        return (await sim.control("POST /wait", { for: { requests: {}, since }, timeoutMs: 200 })).status;
      })
      .toBe(408);
    expect((await sim.control("GET /requests")).body.length).toBeLessThan(10_000);
  });

  it.each(["POST /sandboxes/s1/reset", "DELETE /sandboxes/s1"])("end with %s", async (end) => {
    const sim = await startSimulator();
    await sim.control("POST /sandboxes", { id: "s1" });
    const steps = [{ reset: true }, { customer: { says: "Hello", thread: "9001" } }, { wait: "1d" }];
    const run = sim.control("POST /sandboxes/s1/scenarios/run", { scenario: { steps } });
    // By then, the run's own reset is over.
    await sim.control("POST /sandboxes/s1/wait", { for: { deliveries: {} } });
    await sim.control(end);
    expect(await run).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("reset or deleted during the call") } },
    });
  });

  it("end with their sandbox also where that goes while they reset it", async () => {
    const sim = await startSimulator();
    await sim.control("POST /sandboxes", { id: "s1" });
    const sandbox = sim.registry.get("s1")!;
    sandbox.reset = () => {
      sandbox.close();
      throw new Error("the sandbox goes");
    };
    const scenario = { steps: [{ reset: true }, { log: "after it" }] };
    const { status } = await sim.control("POST /sandboxes/s1/scenarios/run", { scenario });
    expect(status).toBe(409);
  });

  const CUT = { ok: false, steps: [{ message: "the run took longer than 50 ms" }, { skipped: true }] };

  it("end when the time is up, in a wait as well as in a call", async () => {
    const { url } = await startSimulator();
    const wait = { for: { requests: {} }, timeoutMs: 9_000 };
    for (const step of [{ wait: "1d" }, { control: "POST /wait", body: wait }]) {
      const scenario = await read({ steps: [step, { log: "after it" }] });
      expect(await runScenario(scenario, { url }, { timeoutMs: 50 })).toMatchObject(CUT);
    }
  });
});

describe("a step whose answer does not end", () => {
  it.each([
    ["request: GET /__sim/stream", "request: belongs to the control API: use the step `control`"],
    ["request: { method: GET, path: //__sim/x }", "request.path: belongs to the control API"],
    ["control: GET /stream?x=1", "control: cannot be called by a scenario"],
    ["control: POST /scenarios/run", "control: cannot be called by a scenario"],
    ["control: POST /reset", "control: cannot be called by a scenario; for a reset there is the step"],
  ])("is refused where it stands: %s", async (step, problem) => {
    const text = `steps:\n  - ${step}\n`;
    expect(await problemsOf(text)).toEqual([expect.stringContaining(`  steps[0].${problem}`)]);
  });

  it.each([
    [{ request: "GET /${what.body.name}/stream" }, "belongs to the control API"],
    [{ control: { method: "GET", path: "/${other.body.name}" } }, "cannot be called by a scenario"],
  ])("fails where the path is known only when it runs: %j", async (late, why) => {
    const make = (id: string, name: string) => ({
      ...{ id, control: "POST /data/organizations", body: { id: String(name.length), name } },
    });
    const report = await runSteps([make("what", "__sim"), make("other", "stream"), late]);
    expect(last(report)).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  });

  it("is told from others at once, in a path of many slashes", async () => {
    const path = `/a${"/".repeat(300_000)}x`;
    const { steps } = await read({ steps: [{ request: `GET ${path}` }, { control: `GET ${path}` }] });
    expect(steps).toHaveLength(2);
  });

  it("is not read, whatever its address", async () => {
    const sim = await startSimulator();
    const http = new Http();
    const call = { method: "GET", url: `${sim.url}/__sim/stream`, headers: {} };
    await expect(http.send(call)).rejects.toThrow("the response is an event stream, which does not end");
    await expect.poll(() => sim.registry.default.streams.count).toBe(0);
    http.close();
  });
});

import { expect, it } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import type { SandboxObserver } from "../../src/sandbox/observer.js";
import type { Run } from "../../src/sandbox/run.js";
import type { Simulator } from "../../src/server/simulator.js";
import { startSimulator } from "../support/simulator.js";

const EVENTS = [
  "request",
  "delivery",
  "warning",
  "fault",
  "clock",
  "state",
  "reset",
] satisfies (keyof SandboxObserver)[];

/** Where something fails: for each, how to break it; what it returns mends it again. */
const PLACES: Readonly<Record<string, (simulator: Simulator) => () => void>> = {
  ...Object.fromEntries(
    EVENTS.map((event) => [
      `an observer of ${event}`,
      ({ registry }) => registry.default.observe({ [event]: fail }),
    ]),
  ),
  "the faults": breaking(({ faults }) => faults, "pick"),
  "the journal": breaking(({ logs }) => logs.journal, "changed"),
  "the world's records": breaking(({ world }) => world, "get"),
  "the world's writes": breaking(({ world }) => world, "put"),
  "the delivery log": breaking(({ logs }) => logs.deliveryLog, "changed"),
  "a timer of the clock": ({ registry }) => {
    const { clock } = registry.default.run;
    const timer = clock.at(clock.now(), fail);
    return () => timer.cancel();
  },
  "a timer of the clock, later": ({ registry }) => {
    const { clock } = registry.default.run;
    const timer = clock.at(clock.now(), () => Promise.reject(new Error("planted")));
    return () => timer.cancel();
  },
};

function fail(): never {
  throw new Error("planted");
}

/** Puts a method that throws in place of one of a part of the run. */
function breaking(partOf: (run: Run) => object, method: string) {
  return ({ registry }: Simulator) => {
    const target = partOf(registry.default.run);
    Object.defineProperty(target, method, { value: fail, configurable: true });
    return () => void Reflect.deleteProperty(target, method);
  };
}

const say = { customerThreadId: "9001", text: "Hello ".repeat(1000), unknown: 1 };

it.each(Object.keys(PLACES))("a failure of %s ends neither the process nor other calls", async (place) => {
  const logged: string[] = [];
  const logger = { ...SILENT, error: (_fields: object, message: string) => void logged.push(message) };
  const simulator = await startSimulator({ logger });
  const call = async (line: string, body?: object) => {
    const [method, path] = line.split(" ");
    const headers = { token: "acme-token", "Content-Type": "application/json" };
    const answer = await fetch(simulator.url + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  await call("POST /__sim/faults", { on: "request", match: { path: "/nowhere" }, then: "slow" });
  const mend = PLACES[place]?.(simulator);
  const calls = await Promise.all([
    call("POST /api/send-message-to-customer-thread", say),
    call("GET /api/get-customer-thread-details?customerThreadId=9001"),
    call("POST /__sim/threads/9001/inbound", { text: "Hi" }),
    call("PUT /__sim/clock", { frozen: false }),
  ]);
  for (const { status, body } of calls) {
    expect([200, 201, 500]).toContain(status);
    expect(typeof body).toBe("object");
  }
  if (place === "an observer of reset") await call("POST /__sim/reset");
  if (place === "an observer of fault") await call("DELETE /__sim/faults");
  await expect.poll(() => simulator.registry.failures).toBeGreaterThan(0);
  mend?.();
  expect(logged.every((message) => message.endsWith("failed inside the simulator"))).toBe(true);
  expect(logged.length).toBe(simulator.registry.failures);
  const metrics = (await simulator.control("GET /metrics")).body;
  expect(metrics).toContain(`messaging_sim_failures_total ${logged.length}`);
  expect((await call("POST /__sim/reset")).status).toBe(200);
  expect((await call("POST /api/send-message-to-customer-thread", say)).status).toBe(200);
  const idle = await call("POST /__sim/wait", { for: "idle", timeoutMs: 5000 });
  expect(idle.status).toBe(200);
});

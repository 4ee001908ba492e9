import { expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { shippedFixture } from "../../src/server/start.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { startSimulator } from "../support/simulator.js";

test("the empty world is a valid fixture, and has one organization, business, user and token", async () => {
  const { problems = [] } = new FixtureLoader().loadFixture(await shippedFixture("empty"));
  expect(problems.map(formatProblem)).toEqual([]);
  const sim = await startSimulator({ fixtures: "empty" });
  const { body: state } = await sim.control("GET /state");
  const sizes = Object.entries<unknown[]>(state).map(([name, records]) => [name, records.length]);
  const filled = sizes.filter(([, size]) => size !== 0);
  expect(Object.fromEntries(filled)).toEqual({ organizations: 1, businesses: 1, users: 1, tokens: 1 });
  expect((await sim.api("GET /api/webhooks/")).status).toBe(200);
});

/** The examples of the scenario reference are steps that `check` accepts, one for each kind. */
import { expect, it } from "vitest";
import { STEP_EXAMPLES } from "../../scripts/docs/scenario-examples.js";
import { formatProblem } from "../../src/kernel/problems.js";
import { readScenario } from "../../src/scenarios/read.js";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";

it("has an example of each step, and of nothing else", () => {
  expect(Object.keys(STEP_EXAMPLES).sort()).toEqual(STEPS.map(({ key }) => key).sort());
});

it.each(Object.entries(STEP_EXAMPLES))("the example of %s is a valid step", async (key, text) => {
  const steps = text.replace(/^/gm, "  ");
  const source = `token: acme-token\nthread: "9001"\nsteps:\n${steps}\n`;
  const { problems = [] } = await readScenario(await scenarioFormat(), source);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(text).toMatch(RegExp(`^- ${key}:`, "m"));
});

/** Steps of every kind with whatever a person may have written there: a clear refusal, never a failure of the simulator. */
import { expect, it } from "vitest";
import { STEPS } from "../../src/scenarios/steps/index.js";
import { startTarget } from "./target.js";

const VALUES = [null, true, 5, "", "x", "GET", "GET /x", [], [null], {}, { x: 1 }, { path: 5 }];
const FIELDS = "method path call match thread token expect request body steps __proto__".split(" ");
const BESIDE = ["expect", "token", "capture", "id", "name", "within", "body"];

it.each(STEPS.map(({ key }) => key))("the step %s", async (key) => {
  const target = await startTarget();
  const steps = VALUES.map((value) => JSON.stringify(value)).flatMap((value) => [
    `{"${key}":${value}}`,
    ...FIELDS.map((field) => `{"${key}":{"${field}":${value}}}`),
    ...BESIDE.map((field) => `{"${key}":"GET /x","${field}":${value}}`),
  ]);
  // An unknown step keeps all of it from being run.
  const scenario = `{"name":"x","thread":"9001","steps":[${steps.join(",")},{"nothing":1}]}`;
  const { status, body } = await target.control("POST /scenarios/run", `{"scenario":${scenario}}`);
  expect([status, body.error.code]).toEqual([400, "unusable-scenario"]);
  target.expectHealthy();
});

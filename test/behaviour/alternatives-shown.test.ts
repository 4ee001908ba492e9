import { expect, it } from "vitest";
import { alternativesOf } from "../../src/behaviour/alternatives.js";
import type { BehaviourKey } from "../../src/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import { startSimulator } from "../support/simulator.js";

it("the control API shows the alternatives of each entry", async () => {
  const { control } = await startSimulator();
  const rows: { key: BehaviourKey; alternatives: unknown }[] = (await control("GET /behaviour")).body;
  const shown = Object.fromEntries(rows.map(({ key, alternatives }) => [key, alternatives]));
  const known = Object.entries(BEHAVIOUR_TABLE).map(([key, entry]) => [key, alternativesOf(entry)]);
  expect(shown).toEqual(Object.fromEntries(known));
});

import { expect, it } from "vitest";
import { STEP_MS, STEPS } from "../../../dashboard/src/play/present-script";

it("takes a minute, each step with a caption of its own", () => {
  expect(Math.abs(STEPS.length * STEP_MS - 60_000)).toBeLessThan(5_000);
  expect(new Set(STEPS.map(({ caption }) => caption)).size).toBe(STEPS.length);
});

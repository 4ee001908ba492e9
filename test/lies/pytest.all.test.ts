/** Tests with the fixtures for pytest and programs that are wrong in one way each fail, and say why in their first line; with sound ones they pass. */
import { expect, it } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { sound, WRONG } from "./lies.js";
import { byPytest, expectedOf } from "./runners.js";

it("fails each of fifteen wrong programs for what is wrong, and no sound one", needs("pytest"), async () => {
  const bots = [...WRONG, ...sound(1)];
  expect(Object.fromEntries(await byPytest(bots))).toEqual(expectedOf(bots));
});

/** Tests with the fixture of vitest and programs that are wrong in one way each fail, and say why in their first line; with sound ones they pass. */
import { expect, it } from "vitest";
import { sound, WRONG } from "./lies.js";
import { byVitest, expectedOf } from "./runners.js";

it("fails each of fifteen wrong programs for what is wrong, and no sound one", async () => {
  const bots = [...WRONG, ...sound(1)];
  expect(Object.fromEntries(await byVitest(bots))).toEqual(expectedOf(bots));
});

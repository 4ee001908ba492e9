import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { collectGarbage } from "../../src/kernel/garbage.js";

it("frees what nobody holds, at once, and nothing else", async () => {
  const held = { large: new Array(1000).fill("held") };
  const refs = [new WeakRef({ large: new Array(1000).fill("gone") }), new WeakRef(held)];
  // What a job has made lives until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(refs.map((ref) => ref.deref() === undefined)).toEqual([true, false]);
  expect(held.large).toHaveLength(1000);
  expect(globalThis).not.toHaveProperty("gc");
  expect(runInNewContext("typeof gc")).toBe("undefined");
});

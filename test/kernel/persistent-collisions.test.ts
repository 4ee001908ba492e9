/** Keys whose hashes are the same. */
import { expect, it } from "vitest";
import type { HashMap } from "../../src/kernel/persistent.js";
import { emptyMap, mapDelete, mapGet, mapOver, mapSet } from "../../src/kernel/persistent.js";
import { COLLIDING } from "./colliding-keys.js";

const OTHERS = ["a", "__proto__", "nobody", "liquid2"];

const expectSame = (map: HashMap<number>, model: ReadonlyMap<string, number>) => {
  expect(map.size).toBe(model.size);
  for (const name of [...COLLIDING, ...OTHERS]) expect(mapGet(map, name)).toBe(model.get(name));
};

it("tells keys apart that a hash may not, in every version", () => {
  const versions: { map: HashMap<number>; model: Map<string, number> }[] = [];
  let map = emptyMap<number>({});
  const model = new Map<string, number>();
  for (const [index, name] of COLLIDING.entries()) {
    map = mapSet(map, {}, name, index);
    model.set(name, index);
    versions.push({ map, model: new Map(model) });
  }
  for (const name of COLLIDING) {
    map = mapDelete(map, {}, name);
    model.delete(name);
    versions.push({ map, model: new Map(model) });
  }
  expect(map.size).toBe(0);
  for (const held of versions) expectSame(held.map, held.model);
});

it.each([
  ["of a map that begins empty", new Map<string, number>()],
  [
    "of which half stand in the plain map below",
    new Map(COLLIDING.filter((_, at) => at % 2 === 0).map((name) => [name, -1])),
  ],
  ["which all stand in the plain map below", new Map(COLLIDING.map((name) => [name, -2]))],
])("are put in, replaced and taken out in place, beside many others: %s", (_, base) => {
  const owner = {};
  let map: HashMap<number> = mapOver(owner, base);
  const model = new Map(base);
  const set = (name: string, value: number) => {
    map = mapSet(map, owner, name, value);
    model.set(name, value);
  };
  const take = (name: string) => {
    map = mapDelete(map, owner, name);
    model.delete(name);
  };
  for (let index = 0; index < 500; index += 1) set(`key ${index}`, index);
  for (const round of [1, 2, 3]) {
    for (const [at, name] of COLLIDING.entries()) {
      set(name, round * 100 + at);
      expectSame(map, model);
      set(name, round * 1_000 + at);
      expectSame(map, model);
      if (at % (round + 1) === 0) take(name);
      take("nobody");
      expectSame(map, model);
    }
    for (const name of [...COLLIDING].reverse()) {
      take(name);
      expectSame(map, model);
    }
  }
  for (let index = 0; index < 500; index += 1) expect(mapGet(map, `key ${index}`)).toBe(index);
});

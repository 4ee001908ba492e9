import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HashMap, Owner, Vector } from "../../src/kernel/persistent.js";
import {
  emptyVector,
  mapDelete,
  mapGet,
  mapOver,
  mapSet,
  vectorAt,
  vectorOf,
  vectorSet,
  vectorValues,
} from "../../src/kernel/persistent.js";

/** Words that collide in common 32-bit hashes. */
const ALIKE = ["liquid", "costarring", "declinate", "macallums", "altarage", "zinke"];
const COLLIDING = ALIKE.flatMap((word) => [word, `${word}1`, `${word}22`]);

/** Steps of which most change something. */
const stepsOf = <K extends string>(...kinds: K[]) => {
  const kind = fc.constantFrom<K | "snapshot" | "restore">(...kinds, ...kinds, "snapshot", "restore");
  return fc.array(fc.record({ kind, at: fc.nat(300) }), { maxLength: 200 });
};

/** The numbers up to a length, added one by one. */
function vectorOfLength(owner: Owner, length: number): Vector<number> {
  let vector = emptyVector<number>(owner);
  for (let index = 0; index < length; index += 1) vector = vectorSet(vector, owner, index, index);
  return vector;
}

describe("a vector", () => {
  it("behaves like an array with immutable snapshots", () => {
    fc.assert(
      fc.property(stepsOf("push", "set", "remove"), (steps) => {
        let owner: Owner = {};
        let vector = emptyVector<number>(owner);
        let model: (number | undefined)[] = [];
        const snapshots: { vector: Vector<number>; model: (number | undefined)[] }[] = [];
        for (const [value, { kind, at }] of steps.entries()) {
          const snapshot = snapshots[at % snapshots.length];
          if (kind === "snapshot") snapshots.push({ vector: { ...vector }, model: [...model] });
          else if (kind === "push")
            for (let times = 0; times < at % 60; times += 1)
              vector = vectorSet(vector, owner, model.push(value) - 1, value);
          else if (kind !== "restore" && model.length > 0) {
            const index = at % model.length;
            model[index] = kind === "set" ? value : undefined;
            vector = vectorSet(vector, owner, index, model[index]);
          } else if (kind === "restore" && snapshot !== undefined)
            [vector, model] = [{ ...snapshot.vector }, [...snapshot.model]];
          if (kind === "snapshot" || kind === "restore") owner = {};
        }
        for (const held of [...snapshots, { vector, model }]) {
          expect(held.vector.length).toBe(held.model.length);
          expect(held.model.map((_, index) => vectorAt(held.vector, index))).toEqual(held.model);
          expect([...vectorValues(held.vector)]).toEqual(held.model.filter((value) => value !== undefined));
        }
      }),
    );
  });

  it.each([0, 1, 31, 32, 33, 1_023, 1_024, 1_025, 32_768, 32_769, 70_000])("holds %i in order", (length) => {
    const owner = {};
    const values = Array.from({ length }, (_, index) => index);
    for (const vector of [vectorOfLength(owner, length), vectorOf(owner, values)]) {
      expect(vector.length).toBe(length);
      expect([...vectorValues(vector)]).toEqual(values);
      expect([...vectorValues(vector, length - 1)]).toEqual(values.slice(-1));
      const grown = vectorSet(vectorSet(vector, {}, length, -1), {}, 0, -2);
      expect([...vectorValues(grown)]).toEqual(length === 0 ? [-2] : [-2, ...values.slice(1), -1]);
      expect([...vectorValues(vector)]).toEqual(values);
    }
  });

  it("does not change the list that it is made from", () => {
    const owner = {};
    for (const length of [1, 32, 33, 2_000]) {
      const list = Array.from({ length }, (_, index) => index);
      const vector = vectorSet(vectorOf(owner, list), owner, 0, -1);
      expect([vectorAt(vector, 0), list[0]]).toEqual([-1, 0]);
    }
  });

  it("keeps 2,000 versions of 300,000 values, which would not fit into memory as copies", () => {
    const vector = vectorOfLength({}, 300_000);
    const versions = Array.from({ length: 2_000 }, (_, version) =>
      vectorSet(vector, {}, version * 100, -version - 1),
    );
    for (const [version, changed] of versions.entries()) {
      expect(vectorAt(changed, version * 100)).toBe(-version - 1);
      expect(vectorAt(changed, version * 100 + 1)).toBe(version * 100 + 1);
      expect(vectorAt(vector, version * 100)).toBe(version * 100);
    }
  });
});

describe("a hash map", () => {
  it("behaves like a Map with immutable snapshots", () => {
    const odd = ["a", "b", "__proto__", "constructor", "toString", "", "key", "entries"];
    const keys = [...COLLIDING, ...odd, ...Array.from({ length: 300 }, (_, index) => String(index))];
    // Two thirds of the keys collide or are odd.
    const keyOf = (at: number) => keys[at < 200 ? at % 26 : at] ?? "";
    const base = fc.array(fc.nat(300), { maxLength: 60 });
    fc.assert(
      fc.property(base, stepsOf("set", "delete"), (base, steps) => {
        let owner: Owner = {};
        const plain = new Map(base.map((at, index) => [keyOf(at), -1 - index]));
        let [map, model] = [mapOver<number>(owner, plain), new Map(plain)];
        const snapshots: { map: HashMap<number>; model: Map<string, number> }[] = [];
        for (const [value, { kind, at }] of steps.entries()) {
          const snapshot = snapshots[at % snapshots.length];
          if (kind === "set") {
            map = mapSet(map, owner, keyOf(at), value);
            model.set(keyOf(at), value);
          } else if (kind === "delete") {
            map = mapDelete(map, owner, keyOf(at));
            model.delete(keyOf(at));
          } else if (kind === "snapshot") snapshots.push({ map: { ...map }, model: new Map(model) });
          else if (snapshot !== undefined) [map, model] = [{ ...snapshot.map }, new Map(snapshot.model)];
          if (kind === "snapshot" || kind === "restore") owner = {};
        }
        for (const held of [...snapshots, { map, model }]) {
          expect(held.map.size).toBe(held.model.size);
          expect(keys.filter((key) => mapGet(held.map, key) !== held.model.get(key))).toEqual([]);
        }
      }),
    );
  });

  it("holds 100,000 keys, and deletes half of them", () => {
    const owner = {};
    let map = mapOver<number>(owner, new Map());
    for (let i = 0; i < 100_000; i += 1) map = mapSet(map, owner, `thread ${i}`, i);
    const before = { ...map };
    const other = {};
    for (let i = 0; i < 100_000; i += 2) map = mapDelete(map, other, `thread ${i}`);
    expect([map.size, before.size]).toEqual([50_000, 100_000]);
    const all = Array.from({ length: 100_000 }, (_, i) => i);
    expect(all.filter((i) => mapGet(before, `thread ${i}`) !== i)).toEqual([]);
    expect(all.filter((i) => mapGet(map, `thread ${i}`) !== (i % 2 === 0 ? undefined : i))).toEqual([]);
  });

  it("counts a key of the base that is removed and set again", () => {
    const map = mapSet(mapDelete(mapOver({}, new Map([["a", 1]])), {}, "a"), {}, "a", 2);
    expect([map.size, mapGet(map, "a")]).toEqual([1, 2]);
  });

  it("stays the same when a missing key is deleted", () => {
    const map = mapSet(mapOver<number>({}, new Map()), {}, "a", 1);
    expect(mapDelete(map, {}, "b")).toBe(map);
  });
});

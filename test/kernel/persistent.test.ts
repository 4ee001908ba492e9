import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HashMap, Owner, Vector } from "../../src/kernel/persistent.js";
import {
  emptyMap,
  emptyVector,
  mapDelete,
  mapGet,
  mapSet,
  vectorAt,
  vectorSet,
  vectorValues,
} from "../../src/kernel/persistent.js";
import { Random } from "../../src/kernel/random.js";

describe("a vector", () => {
  const action = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("push" as const), times: fc.integer({ min: 1, max: 60 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("set" as const), at: fc.nat(), hole: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("snapshot" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }) },
  );

  it("is an array whose snapshots never change", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        let owner: Owner = {};
        let vector: Vector<number> = emptyVector(owner);
        let model: (number | undefined)[] = [];
        let count = 0;
        const snapshots: { vector: Vector<number>; model: (number | undefined)[] }[] = [];
        for (const step of actions) {
          if (step.kind === "push") {
            for (let i = 0; i < step.times; i += 1) {
              count += 1;
              vector = vectorSet(vector, owner, vector.length, count);
              model.push(count);
            }
          } else if (step.kind === "set" && model.length > 0) {
            count += 1;
            const value = step.hole ? undefined : count;
            vector = vectorSet(vector, owner, step.at % model.length, value);
            model[step.at % model.length] = value;
          } else if (step.kind === "snapshot") {
            snapshots.push({ vector: { ...vector }, model: [...model] });
            owner = {};
          } else if (step.kind === "restore" && snapshots.length > 0) {
            const snapshot = snapshots[step.which % snapshots.length]!;
            vector = { ...snapshot.vector };
            model = [...snapshot.model];
            owner = {};
          }
        }
        for (const held of [...snapshots, { vector, model }]) {
          expect(held.vector.length).toBe(held.model.length);
          expect(held.model.map((_, index) => vectorAt(held.vector, index))).toEqual(held.model);
          expect([...vectorValues(held.vector)]).toEqual(held.model.filter((value) => value !== undefined));
        }
      }),
    );
  });

  it.each([0, 1, 31, 32, 33, 1_023, 1_024, 1_025, 32_768, 32_769, 70_000])(
    "holds %i values in order",
    (length) => {
      const owner = {};
      let vector = emptyVector<number>(owner);
      for (let index = 0; index < length; index += 1) vector = vectorSet(vector, owner, index, index);
      expect(vector.length).toBe(length);
      expect([...vectorValues(vector)]).toEqual(Array.from({ length }, (_, index) => index));
      expect([...vectorValues(vector, length - 1)]).toEqual(length === 0 ? [] : [length - 1]);
    },
  );

  it("begins its values at any position", () => {
    const owner = {};
    let vector = emptyVector<number>(owner);
    for (let index = 0; index < 100; index += 1) vector = vectorSet(vector, owner, index, index);
    for (const from of [0, 1, 31, 32, 33, 64, 99, 100, 500]) {
      expect([...vectorValues(vector, from)]).toEqual(Array.from({ length: 100 }, (_, i) => i).slice(from));
    }
  });

  it("keeps 2,000 versions of a million values, each different in one", () => {
    const owner = {};
    let vector = emptyVector<number>(owner);
    for (let index = 0; index < 1_000_000; index += 1) vector = vectorSet(vector, owner, index, index);
    const spots = Array.from({ length: 2_000 }, (_, version) => version * 499);
    // Copies of the whole would take 16 GB.
    const versions = spots.map((spot) => vectorSet(vector, {}, spot, -1));
    expect(versions.map((version, index) => vectorAt(version, spots[index]!))).toEqual(spots.map(() => -1));
    expect(versions.map((version, index) => vectorAt(version, spots[index]! + 1))).toEqual(
      spots.map((spot) => spot + 1),
    );
    expect(spots.map((spot) => vectorAt(vector, spot))).toEqual(spots);
  });
});

describe("a hash map", () => {
  const key = fc.oneof(
    fc.constantFrom(
      "a",
      "b",
      "__proto__",
      "constructor",
      "toString",
      "",
      "key",
      "entries",
      "liquid",
      "costarring",
    ),
    fc.nat(300).map(String),
  );
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("set" as const), key }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), key }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("snapshot" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }) },
  );

  const expectSame = (map: HashMap<number>, model: Map<string, number>) => {
    expect(map.size).toBe(model.size);
    for (const [name, value] of model) expect(mapGet(map, name)).toBe(value);
    for (const name of ["a", "__proto__", "nobody", "301"]) {
      expect(mapGet(map, name)).toBe(model.get(name));
    }
  };

  it("is a Map whose snapshots never change", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        let owner: Owner = {};
        let map: HashMap<number> = emptyMap(owner);
        let model = new Map<string, number>();
        let count = 0;
        const snapshots: { map: HashMap<number>; model: Map<string, number> }[] = [];
        for (const step of actions) {
          count += 1;
          if (step.kind === "set") {
            map = mapSet(map, owner, step.key, count);
            model.set(step.key, count);
          } else if (step.kind === "delete") {
            map = mapDelete(map, owner, step.key);
            model.delete(step.key);
          } else if (step.kind === "snapshot") {
            snapshots.push({ map: { ...map }, model: new Map(model) });
            owner = {};
          } else if (snapshots.length > 0) {
            const snapshot = snapshots[step.which % snapshots.length]!;
            map = { ...snapshot.map };
            model = new Map(snapshot.model);
            owner = {};
          }
        }
        for (const held of [...snapshots, { map, model }]) expectSame(held.map, held.model);
      }),
    );
  });

  // Among so many keys some have the same hash of 32 bits: four pairs do.
  it("holds 150,000 random keys in every version", () => {
    const random = new Random(4);
    const model = new Map<string, number>();
    const owner = {};
    let full = emptyMap<number>(owner);
    while (model.size < 150_000) {
      const name = random.hex(10);
      full = mapSet(full, owner, name, model.size);
      model.set(name, model.size);
    }
    const isEven = (value: number) => value % 2 === 0;
    let half = { ...full };
    let changed = { ...full };
    const [halving, changing] = [{}, {}];
    for (const [name, value] of model) {
      if (isEven(value)) half = mapDelete(half, halving, name);
      else changed = mapSet(changed, changing, name, -value);
    }
    expect([full.size, half.size, changed.size]).toEqual([150_000, 75_000, 150_000]);
    const wrong = [...model].filter(
      ([name, value]) =>
        mapGet(full, name) !== value ||
        mapGet(half, name) !== (isEven(value) ? undefined : value) ||
        mapGet(changed, name) !== (isEven(value) ? value : -value),
    );
    expect(wrong).toEqual([]);
    for (const name of model.keys()) half = mapDelete(half, halving, name);
    expect(half).toMatchObject({ size: 0, root: { bitmap: 0, entries: [] } });
  });

  it("stays the same when a key is deleted that it does not have", () => {
    const map = mapSet(emptyMap<number>({}), {}, "a", 1);
    expect(mapDelete(map, {}, "b")).toBe(map);
  });
});

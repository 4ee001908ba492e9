/** What a writer changes in place: the nodes that it made itself, and no others. */
import { describe, expect, it } from "vitest";
import type { HashMap, Vector } from "../../src/kernel/persistent.js";
import {
  emptyMap,
  emptyVector,
  mapDelete,
  mapGet,
  mapOver,
  mapSet,
  vectorAt,
  vectorSet,
  vectorValues,
} from "../../src/kernel/persistent.js";

/** All objects that a collection is made of, but for the values in it. */
function nodesOf(collection: object): Set<object> {
  const nodes = new Set<object>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || nodes.has(node) || node instanceof Map) return;
    if ("owner" in node) nodes.add(node);
    for (const part of Object.values(node)) visit(part);
  };
  visit(collection);
  return nodes;
}
const kept = (before: Set<object>, after: Set<object>) =>
  [...before].filter((node) => after.has(node)).length;

function vectorOf(length: number, owner: object): Vector<number> {
  let vector = emptyVector<number>(owner);
  for (let index = 0; index < length; index += 1) vector = vectorSet(vector, owner, index, index);
  return vector;
}

function mapOf(length: number, owner: object): HashMap<number> {
  let map = emptyMap<number>(owner);
  for (let index = 0; index < length; index += 1) map = mapSet(map, owner, `key ${index}`, index);
  return map;
}

describe("a vector", () => {
  it("is changed in place by the writer that made it", () => {
    const owner = {};
    const vector = vectorOf(2_000, owner);
    const before = nodesOf(vector);
    expect(vectorSet(vector, owner, 1_500, -1)).toBe(vector);
    expect(nodesOf(vector)).toEqual(before);
    expect(kept(before, nodesOf(vector))).toBe(before.size);
  });

  it("is copied for another writer on the way down alone, and then is that writer's", () => {
    const vector = vectorOf(2_000, {});
    const before = nodesOf(vector);
    const other = {};
    const changed = vectorSet(vector, other, 1_500, -1);
    // The vector itself and one chunk on each of three levels.
    expect(before.size - kept(before, nodesOf(changed))).toBe(4);
    expect([...nodesOf(changed)].filter((node) => "owner" in node && node.owner === other)).toHaveLength(4);
    expect(vectorSet(changed, other, 1_501, -2)).toBe(changed);
    expect([...vectorValues(changed)].slice(1_499, 1_503)).toEqual([1_499, -1, -2, 1_502]);
    expect([...vectorValues(vector)].slice(1_499, 1_503)).toEqual([1_499, 1_500, 1_501, 1_502]);
    expect(nodesOf(vector)).toEqual(before);
  });

  it("grows by the chunks that it needs", () => {
    const chunks = (length: number) => nodesOf(vectorOf(length, {})).size - 1;
    expect([0, 1, 32, 33, 64, 65, 1_024, 1_025].map(chunks)).toEqual([0, 1, 1, 3, 3, 4, 33, 36]);
    const owner = {};
    expect(vectorOf(2, owner).root).toEqual({ owner, chunks: [], values: [0, 1] });
  });
});

describe("a hash map", () => {
  it("is changed in place by the writer that made it", () => {
    const owner = {};
    const map = mapOf(2_000, owner);
    const before = nodesOf(map);
    expect(mapSet(map, owner, "key 7", -7)).toBe(map);
    expect(kept(before, nodesOf(map))).toBe(before.size);
    expect(nodesOf(map).size).toBe(before.size);
    expect(mapDelete(map, owner, "key 8")).toBe(map);
    expect(kept(before, nodesOf(map))).toBeGreaterThan(before.size - 3);
    expect([map.size, mapGet(map, "key 7"), mapGet(map, "key 8")]).toEqual([1_999, -7, undefined]);
  });

  it.each([
    ["put in", (map: HashMap<number>, owner: object) => mapSet(map, owner, "another", 1)],
    ["replaced", (map: HashMap<number>, owner: object) => mapSet(map, owner, "key 7", -7)],
    ["taken out", (map: HashMap<number>, owner: object) => mapDelete(map, owner, "key 7")],
  ])("is copied for another writer on the way down alone: a key is %s", (_, change) => {
    const map = mapOf(2_000, {});
    const before = nodesOf(map);
    const other = {};
    const changed = change(map, other);
    expect(changed).not.toBe(map);
    const copied = before.size - kept(before, nodesOf(changed));
    expect([copied >= 2, copied <= 5]).toEqual([true, true]);
    expect(nodesOf(map)).toEqual(before);
    expect([map.size, mapGet(map, "key 7"), mapGet(map, "another")]).toEqual([2_000, 7, undefined]);
  });

  it("lets go of nodes that hold nothing any more", () => {
    const owner = {};
    let map = mapOf(2_000, owner);
    for (let index = 0; index < 2_000; index += 1) map = mapDelete(map, owner, `key ${index}`);
    expect([map.size, nodesOf(map).size]).toEqual([0, 2]);
    expect(map.root).toEqual({ owner, bitmap: 0, entries: [] });
  });

  it("over a plain map counts each key once, whatever happens to it", () => {
    const owner = {};
    const base = new Map([["a", 1]]);
    const map = mapOver(owner, base);
    const sizes = [
      () => mapSet(map, owner, "a", 2),
      () => mapSet(map, owner, "a", 3),
      () => mapDelete(map, owner, "a"),
      () => mapDelete(map, owner, "a"),
      () => mapSet(map, owner, "a", 4),
      () => mapSet(map, owner, "b", 5),
      () => mapSet(map, owner, "b", 6),
      () => mapDelete(map, owner, "b"),
      () => mapDelete(map, owner, "b"),
      () => mapDelete(map, owner, "none"),
    ].map((change) => change().size);
    expect(sizes).toEqual([1, 1, 0, 0, 1, 2, 2, 1, 1, 1]);
    expect([mapGet(map, "a"), base.get("a")]).toEqual([4, 1]);
  });

  it("finds nothing under a key that it does not have, wherever that would stand", () => {
    const map = mapOf(2_000, {});
    for (let index = 2_000; index < 4_000; index += 1) expect(mapGet(map, `key ${index}`)).toBeUndefined();
    const empty = emptyMap<number>({});
    expect([mapGet(empty, ""), mapGet(empty, "key 1"), empty.size]).toEqual([undefined, undefined, 0]);
  });
});

describe("a vector with holes", () => {
  it("counts them, and leaves them out of its values", () => {
    const owner = {};
    let vector = vectorOf(70, owner);
    for (const hole of [0, 31, 32, 69]) vector = vectorSet(vector, owner, hole, undefined);
    const expected = Array.from({ length: 70 }, (_, index) => index).filter(
      (at) => ![0, 31, 32, 69].includes(at),
    );
    expect([...vectorValues(vector)]).toEqual(expected);
    expect([...vectorValues(vector, 31)]).toEqual(expected.filter((at) => at >= 31));
    expect(vector.length).toBe(70);
    vector = vectorSet(vector, owner, 70, 70);
    expect([vector.length, vectorAt(vector, 70), vectorAt(vector, 69), vectorAt(vector, 200)]).toEqual([
      71,
      70,
      undefined,
      undefined,
    ]);
    expect([...vectorValues(emptyVector<number>(owner))]).toEqual([]);
    expect(vectorAt(emptyVector<number>(owner), 0)).toBeUndefined();
  });
});

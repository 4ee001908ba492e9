/** What a writer changes in place: the nodes that it made itself, and no others. */
import { describe, expect, it } from "vitest";
import type { HashMap, Vector } from "../../src/kernel/persistent.js";
import {
  emptyMap,
  emptyVector,
  mapDelete,
  mapGet,
  mapSet,
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
});

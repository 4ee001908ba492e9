/** Whoever reads one of the counted values is counted, and nobody else. */
import { expect, it } from "vitest";
import { Behaviour, noReads } from "../../src/service/behaviour/behaviour.js";
import { BEHAVIOUR_KEYS, type BehaviourKey, PROFILES } from "../../src/service/behaviour/table.js";

it.each([...BEHAVIOUR_KEYS.entries()])("counts key %i: %s", (index, key) => {
  const reads = noReads();
  const { counted } = new Behaviour({}, reads);
  expect(counted[key]).toEqual(PROFILES.documented[key]);
  expect(reads).toEqual(noReads().with(index, 1));
  expect([counted[key], counted[key]]).toEqual([counted[key], PROFILES.documented[key]]);
  expect(reads).toEqual(noReads().with(index, 4));
});

it("keeps counting after a change", () => {
  const reads = noReads();
  const behaviour = new Behaviour({ "delivery.attempts": 2 }, reads);
  const before = behaviour.counted;
  behaviour.patch({ "delivery.attempts": 3 });
  expect([before["delivery.attempts"], behaviour.counted["delivery.attempts"]]).toEqual([3, 3]);
  expect(reads).toEqual(noReads().with(BEHAVIOUR_KEYS.indexOf("delivery.attempts"), 2));
});

it.each([true, false])("tells a call which keys it has read, and counts them: %s", (isCounted) => {
  const reads = noReads();
  const behaviour = new Behaviour({}, reads);
  const keys: BehaviourKey[] = [];
  const values = behaviour.consultedInto(keys, isCounted);
  expect([values["delivery.attempts"], values["window.duration"]]).toEqual([1, null]);
  expect(keys).toEqual(["delivery.attempts", "window.duration"]);
  expect(reads[BEHAVIOUR_KEYS.indexOf("window.duration")]).toBe(isCounted ? 1 : 0);
});

it("does not count reads of the plain values or the rows", () => {
  const reads = noReads();
  const behaviour = new Behaviour({}, reads);
  expect(behaviour.values["delivery.attempts"]).toBe(1);
  expect(behaviour.rows()).toHaveLength(BEHAVIOUR_KEYS.length);
  expect(reads).toEqual(noReads());
});

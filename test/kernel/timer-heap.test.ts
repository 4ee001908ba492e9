import fc from "fast-check";
import { expect, it } from "vitest";
import { type HeapEntry, TimerHeap } from "../../src/kernel/timer-heap.js";

interface Entry extends HeapEntry {
  readonly id: number;
}
const entryOf = (id: number, due: number): Entry => ({ id, due, order: id, slot: -1 });
const byDue = (a: Entry, b: Entry): number => a.due - b.due || a.order - b.order;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), due: fc.nat(12) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("first" as const) }) },
);

/** Takes out what comes first until nothing is left. */
function drained(heap: TimerHeap<Entry>): number[] {
  const ids: number[] = [];
  for (let first = heap.first(); first !== undefined && ids.length <= 200; first = heap.first()) {
    ids.push(first.id);
    heap.remove(first);
  }
  return ids;
}

it("is a list in the order of instants, those of one instant as they were put in, whatever is taken out", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const heap = new TimerHeap<Entry>();
      const everything: Entry[] = [];
      let model: Entry[] = [];
      for (const action of steps) {
        if (action.kind === "add") {
          const entry = entryOf(everything.length, action.due);
          everything.push(entry);
          model.push(entry);
          model.sort(byDue);
          heap.add(entry);
        } else {
          // Also one that is out already, which changes nothing.
          const entry = action.kind === "first" ? heap.first() : everything[action.which % everything.length];
          if (entry === undefined) continue;
          heap.remove(entry);
          model = model.filter((other) => other !== entry);
        }
        expect([heap.size, heap.first()]).toEqual([model.length, model[0]]);
      }
      expect(drained(heap)).toEqual(model.map(({ id }) => id));
    }),
    { numRuns: 300 },
  );
});

it("knows nothing of entries of others, nor of its own once it is cleared", () => {
  const [heap, other] = [new TimerHeap<Entry>(), new TimerHeap<Entry>()];
  const [mine, foreign] = [entryOf(1, 1), entryOf(2, 2)];
  heap.add(mine);
  other.add(foreign);
  heap.remove(foreign);
  heap.remove(entryOf(3, 3));
  expect([heap.size, heap.first()]).toEqual([1, mine]);
  heap.clear();
  expect([heap.size, heap.first()]).toEqual([0, undefined]);
  heap.remove(mine);
  expect([heap.size, heap.first(), other.size]).toEqual([0, undefined, 1]);
});

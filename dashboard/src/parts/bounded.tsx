import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button";

interface Props<T> {
  readonly items: readonly T[];
  /** How many are shown at first, and more with each click. */
  readonly step?: number;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** The first items of a list, and a button that shows more of them. */
export function Bounded<T>({ items, step = 100, children }: Props<T>) {
  const [max, setMax] = useState(step);
  const left = items.length - max;
  return (
    <>
      {items.slice(0, max).map(children)}
      {left <= 0 ? null : (
        <li class="more">
          <Button class="ghost small" onClick={() => setMax(max + step)}>
            Show {Math.min(step, left).toLocaleString("en")} more of {left.toLocaleString("en")}
          </Button>
        </li>
      )}
    </>
  );
}

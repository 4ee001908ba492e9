import type { ComponentChildren, HTMLAttributes } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Heights } from "./heights";

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly render: (item: T, index: number) => ComponentChildren;
  /** The height of an item before it was measured, px. */
  readonly estimate: number;
  /** Stays at the end while the person has not scrolled away from it. */
  readonly follow?: boolean;
  /** The key of an item that is scrolled to when it changes. */
  readonly reveal?: string | null;
  readonly class?: string;
  /** Attributes of the scrolling element. */
  readonly outer?: HTMLAttributes<HTMLDivElement>;
  /** Attributes of the element around the items. */
  readonly inner?: HTMLAttributes<HTMLDivElement>;
}

/** How far beyond the visible part items are kept, px. */
const MARGIN = 400;
const NEAR = 24;

/**
 * A list of which only the visible part is in the page. Items may differ in height and change it. The rest is two empty
 * blocks before and after: their heights may change without moving what is looked at, which the browser sees to.
 */
export function WindowedList<T>(props: Props<T>) {
  const { items, keyOf, render, estimate, follow = false, reveal = null } = props;
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const heights = useRef<Heights>(null);
  heights.current ??= new Heights(estimate);
  const atEnd = useRef(follow);
  const revealed = useRef<string | null>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, measureAgain] = useState(0);

  heights.current.lay(items.map(keyOf));
  const lengths = heights.current;
  const first = lengths.indexAt(view.top - MARGIN);
  const last = Math.min(items.length - 1, lengths.indexAt(view.top + view.height + MARGIN));

  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
    setView((old) =>
      Math.abs(old.top - scrollTop) < MARGIN / 4 && old.height === clientHeight
        ? old
        : { top: scrollTop, height: clientHeight },
    );
  }, [lengths]);

  // After each rendering: heights as they are, then the place that is to be scrolled to.
  useLayoutEffect(() => {
    const element = box.current;
    const inner = body.current;
    if (element === null || inner === null) return;
    let changed = false;
    for (const child of inner.children) {
      const key = (child as HTMLElement).dataset.key;
      if (key !== undefined && lengths.measured(key, child.getBoundingClientRect().height)) changed = true;
    }
    if (changed) lengths.lay(items.map(keyOf));
    const wanted = targetOf(element);
    if (wanted !== null && Math.abs(element.scrollTop - wanted) >= 1) element.scrollTop = wanted;
    if (changed) measureAgain((count) => count + 1);
    look();
  });

  /** Where the list is to be scrolled to; null to leave it. */
  function targetOf(element: HTMLElement): number | null {
    if (reveal !== null && revealed.current !== reveal) {
      const at = lengths.indexOf(reveal);
      if (at !== -1) {
        const there = lengths.offsetOf(at);
        const visible = there >= element.scrollTop && there < element.scrollTop + element.clientHeight - 80;
        revealed.current = reveal;
        atEnd.current = false;
        if (!visible) return Math.max(0, there - 60);
      }
    }
    if (reveal === null) revealed.current = null;
    return follow && atEnd.current ? lengths.total - element.clientHeight : null;
  }

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => measureAgain((count) => count + 1));
    if (box.current !== null) observer.observe(box.current);
    if (body.current !== null) observer.observe(body.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div {...props.outer} ref={box} class={`windowed ${props.class ?? ""}`} onScroll={look}>
      <div class="spacer" style={{ height: `${lengths.offsetOf(first)}px` }} />
      <div {...props.inner} ref={body}>
        {items.slice(first, last + 1).map((item, at) => render(item, first + at))}
      </div>
      <div class="spacer" style={{ height: `${lengths.total - lengths.offsetOf(last + 1)}px` }} />
    </div>
  );
}

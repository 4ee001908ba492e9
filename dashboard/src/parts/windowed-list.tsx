import type { ComponentChildren, HTMLAttributes, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button";

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The element of an item; its `data-key` is the item's key. */
  readonly render: (item: T, index: number) => ComponentChildren;
  /** The height of an item before it was measured, px. */
  readonly estimate: number;
  /** Stays at the end while the person has not scrolled away from it. */
  readonly follow?: boolean;
  /** Another number each time that the list is to go to its end. */
  readonly toEnd?: number;
  /** The newest of what the list follows: a button leads to the end when there is a newer one while it is elsewhere. */
  readonly newest?: string | null;
  /** The key of an item to scroll to: once for each `revealFor`, by default the key itself. */
  readonly reveal?: string | null;
  readonly revealFor?: string | null;
  /** Attributes of the scrolling element. */
  readonly outer?: HTMLAttributes<HTMLDivElement>;
  /** Attributes of the element around the items. */
  readonly inner?: HTMLAttributes<HTMLDivElement>;
}

/** How far beyond the visible part items are rendered, px. */
const MARGIN = 400;
/** A list that is scrolled this near to its end counts as at its end, px. */
const END_MARGIN = 24;
/** How far above a revealed item the visible part begins, px. */
const REVEAL_MARGIN = 60;

/**
 * A list of which only the visible part is in the page. Items may differ in height and change it. Two empty blocks
 * stand for the items before and after: when their heights change, the browser keeps what is visible in its place.
 */
export function WindowedList<T>(props: Props<T>) {
  const { items, keyOf, render, estimate, follow = false, reveal = null, toEnd = 0, newest = null } = props;
  const { revealFor = reveal } = props;
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [heights] = useState(() => new Heights(estimate));
  /** Whether the list goes along with its end. */
  const follows = useRef(follow);
  const ended = useRef(toEnd);
  const read = useRef(newest);
  const revealed = useRef<string | null>(null);
  /** The index of the item to reveal, if it was in sight when the list was last settled. */
  const seenAt = useRef(-1);
  const lastTop = useRef(0);
  const lastEnd = useRef(0);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, renderAgain] = useState(0);
  const goToEnd = () => {
    follows.current = true;
    renderAgain((count) => count + 1);
  };
  useScrollingUp(outer, () => {
    follows.current = false;
  });

  if (ended.current !== toEnd) {
    follows.current = true;
    revealed.current = revealFor;
  }
  ended.current = toEnd;
  if (follows.current) read.current = newest;

  // When the focused item is removed, the list takes the focus over.
  const hadFocus = outer.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) outer.current?.focus({ preventScroll: true });
  });

  heights.layOut(items.map(keyOf));
  const top = follows.current ? heights.total - view.height : view.top;
  const first = heights.indexAt(top - MARGIN);
  const last = Math.min(items.length - 1, heights.indexAt(top + view.height + MARGIN));

  const onScroll = () => {
    if (outer.current === null) return;
    const { scrollTop, clientHeight, scrollHeight } = outer.current;
    const end = scrollHeight - clientHeight;
    const isDown = scrollTop > lastTop.current;
    // Nothing in the list has moved it up, but the browser's search, a screen reader or a test has.
    if (scrollTop < lastTop.current - 1 && end === lastEnd.current) follows.current = false;
    lastTop.current = scrollTop;
    lastEnd.current = end;
    if (follow && isDown && isAtEnd(outer.current) && !follows.current) goToEnd();
    setView((old) =>
      Math.abs(old.top - scrollTop) < MARGIN / 4 && old.height === clientHeight
        ? old
        : { top: scrollTop, height: clientHeight },
    );
  };

  /** Takes the heights as they are, and scrolls to where the list is to be. */
  const settle = () => {
    if (outer.current === null || inner.current === null) return;
    let changed = false;
    for (const child of inner.current.querySelectorAll<HTMLElement>(":scope > [data-key]"))
      if (heights.measure(child.dataset.key ?? "", child.getBoundingClientRect().height)) changed = true;
    if (changed) heights.layOut(items.map(keyOf));
    const target = scrollTarget(outer.current, changed);
    if (target !== null && Math.abs(outer.current.scrollTop - target) >= 1) {
      outer.current.scrollTop = target;
      lastTop.current = Math.min(lastTop.current, outer.current.scrollTop);
    }
    if (changed) renderAgain((count) => count + 1);
    onScroll();
  };
  useLayoutEffect(settle);

  /** The offset that the list is to be scrolled to; null to leave it where it is. */
  function scrollTarget({ scrollTop, clientHeight }: HTMLElement, isMoving: boolean): number | null {
    const at = reveal === null ? -1 : heights.indexOf(reveal);
    const offset = heights.offset(at);
    // The browser rounds the height of the box.
    const end = scrollTop + clientHeight + 1;
    const visible = at !== -1 && offset >= scrollTop - 1 && heights.offset(at + 1) <= end;
    // An item that was in sight and has moved away is revealed again.
    const hasMoved = seenAt.current !== -1 && seenAt.current !== at && !visible;
    if (reveal === null || hasMoved) revealed.current = null;
    seenAt.current = visible ? at : -1;
    if (at !== -1 && revealFor !== revealed.current) {
      follows.current = false;
      const target = Math.max(0, offset - REVEAL_MARGIN);
      // Items around a far one are measured once they are rendered, and may push it away.
      if (!isMoving && (visible || Math.abs(target - scrollTop) < MARGIN / 4)) revealed.current = revealFor;
      if (!visible) return target;
    }
    return follows.current ? heights.total - clientHeight : null;
  }

  const settled = useRef(settle);
  settled.current = settle;
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => settled.current());
    if (outer.current !== null) observer.observe(outer.current);
    if (inner.current !== null) observer.observe(inner.current);
    return () => observer.disconnect();
  }, []);

  const isBehind = follow && read.current !== newest;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the role is the caller's, and so is the focus */}
      <div
        {...props.outer}
        ref={outer}
        class="windowed"
        onScroll={onScroll}
        onKeyDown={(event) => {
          if (!follow || (event.key !== "End" && event.key !== "Home")) return;
          // The browser goes there by and by, to the end of what it knows: items that come into sight move that away.
          event.preventDefault();
          if (event.key === "End") goToEnd();
          else event.currentTarget.scrollTop = 0;
        }}
      >
        <div class="spacer" style={{ height: `${heights.offset(first)}px` }} />
        <div {...props.inner} ref={inner}>
          {items.slice(first, last + 1).map((item, at) => render(item, first + at))}
        </div>
        <div class="spacer" style={{ height: `${heights.total - heights.offset(last + 1)}px` }} />
      </div>
      {isBehind ? (
        <Button class="primary small to-end" onClick={goToEnd}>
          New messages
        </Button>
      ) : null}
    </>
  );
}

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < END_MARGIN;

/** The keys that lead up a list: Tab leads to an item that may be above. */
const KEYS_UP = ["ArrowUp", "PageUp", "Home", "Tab", "Shift+ "];

/** Calls `onUp` when a person scrolls a list up, or may be about to: with wheel, keys, finger or scrollbar. */
function useScrollingUp(list: RefObject<HTMLElement | null>, onUp: () => void): void {
  useEffect(() => {
    const { current: element } = list;
    if (element === null) return;
    const listening = new AbortController();
    const on = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      leadsUp: (event: HTMLElementEventMap[Type]) => boolean,
    ) => {
      const listen = (event: HTMLElementEventMap[Type]) => {
        // The browser may have scrolled before the event comes.
        if (element.scrollHeight > element.clientHeight && leadsUp(event)) onUp();
      };
      element.addEventListener(type, listen, { passive: true, signal: listening.signal });
    };
    let finger = 0;
    const moveFinger = ({ touches: [touch] }: TouchEvent): boolean => {
      const before = finger;
      finger = touch?.clientY ?? 0;
      return finger > before;
    };
    on("wheel", ({ deltaY }) => deltaY < 0);
    on("keydown", ({ key, shiftKey }) => KEYS_UP.includes(shiftKey && key === " " ? "Shift+ " : key));
    on("touchstart", (event) => moveFinger(event) && false);
    on("touchmove", moveFinger);
    // What is pressed must not move away, such as what the browser's search has found.
    on("pointerdown", ({ target, offsetX }) =>
      target === element ? offsetX >= element.clientWidth : !isAtEnd(element),
    );
    return () => listening.abort();
  }, []);
}

/** The heights of a list's items, by key: measured where they were rendered, estimated where not. */
class Heights {
  readonly #measured = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);

  constructor(readonly estimate: number) {}

  /** Computes where each item starts, one below the other. */
  layOut(keys: readonly string[]): void {
    this.#keys = keys;
    this.#forget();
    this.#offsets = new Float64Array(keys.length + 1);
    let offset = 0;
    for (const [at, key] of keys.entries()) {
      offset += this.#measured.get(key) ?? this.estimate;
      this.#offsets[at + 1] = offset;
    }
  }

  /** Forgets the heights of items that are gone, from time to time. */
  #forget(): void {
    if (this.#measured.size <= 2 * this.#keys.length + 100) return;
    const known = new Set(this.#keys);
    for (const key of this.#measured.keys()) if (!known.has(key)) this.#measured.delete(key);
  }

  /** Keeps a measured height; true when it differs from the one before. */
  measure(key: string, height: number): boolean {
    if (height === 0 || Math.abs((this.#measured.get(key) ?? this.estimate) - height) < 0.5) return false;
    this.#measured.set(key, height);
    return true;
  }

  get total(): number {
    return this.offset(this.#keys.length);
  }

  /** Where the item at an index starts, px from the start of the list. */
  offset(index: number): number {
    return this.#offsets[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  /** The index of an item; -1 where there is none with the key. */
  indexOf(key: string): number {
    return this.#keys.indexOf(key);
  }

  /** The index of the item at an offset; of the first or last where none is there. */
  indexAt(offset: number): number {
    let low = 0;
    let high = Math.max(0, this.#keys.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offset(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

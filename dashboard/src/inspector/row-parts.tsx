import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Place, useApp, useOpenItem } from "../lib/context";
import { isoTime, timeOfDay } from "../lib/format";
import { Button } from "../parts/button";
import { Icon } from "../parts/icon";

/** The cell that opens a row by keyboard. */
export function RowToggle({
  open,
  children,
  label,
}: {
  open: boolean;
  children: ComponentChildren;
  /** What else its name says, for screen readers. */
  label: string;
}) {
  const { opened } = useApp();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (!open || opened.peek() === null) return;
    opened.value = null;
    button.current?.focus({ preventScroll: true });
  });
  return (
    <span role="cell" class="log-main">
      <button ref={button} type="button" class="row-toggle" aria-expanded={open}>
        <Icon name="chevron" />
        <span class="row-text">{children}</span>
        <span class="visually-hidden">{label}</span>
      </button>
    </span>
  );
}

export const TimeCell = ({ at }: { at: number }) => (
  <span role="cell" class="log-time">
    <time dateTime={isoTime(at)} title={isoTime(at)}>
      {timeOfDay(at)}
    </time>
  </span>
);

/** A link to another entry of the logs. */
export function ItemLink({
  id,
  place,
  children,
}: {
  id: string;
  /** Null where its sandbox is gone. */
  place?: Place | null;
  children?: ComponentChildren;
}) {
  const open = useOpenItem();
  if (place === null) return <span>{children ?? id}</span>;
  return (
    <Button class="link" onClick={() => open(id, place)}>
      {children ?? id}
    </Button>
  );
}

/** A link that opens a thread. */
export function ThreadLink({ id }: { id: string }) {
  const { navigate } = useApp();
  return (
    <Button class="link" onClick={() => navigate({ thread: id })}>
      {id}
    </Button>
  );
}

export const Facts = ({ facts }: { facts: readonly (readonly [string, ComponentChildren] | null)[] }) => (
  <dl class="facts">
    {facts.map((fact) =>
      fact === null ? null : (
        <div key={fact[0]}>
          <dt>{fact[0]}</dt>
          <dd>{fact[1]}</dd>
        </div>
      ),
    )}
  </dl>
);

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "./button";

interface Props {
  readonly label: string;
  readonly value: string;
  /** What the button says that confirms a choice. */
  readonly confirm: string;
  readonly onConfirm: (value: string) => void;
  /** The options. */
  readonly children: ComponentChildren;
  readonly "aria-disabled"?: boolean;
  readonly "aria-describedby"?: string | undefined;
}

/**
 * A select whose choice has an effect. Picking from its open list is a decision; arrow keys and letters only choose,
 * since they pass by other options: Enter or the button confirms, Escape goes back. The focus stays on the select.
 */
export function ConfirmedSelect({ label, value, confirm, onConfirm, children, ...rest }: Props) {
  const select = useRef<HTMLSelectElement>(null);
  const byKey = useRef(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const isOpen = chosen !== null && chosen !== value;
  const decide = (decision: string) => {
    setChosen(null);
    select.current?.focus();
    onConfirm(decision);
  };
  return (
    <>
      <label class="inline-field">
        <span class="visually-hidden">{label}</span>
        <select
          {...rest}
          ref={select}
          value={chosen ?? value}
          onPointerDown={() => {
            byKey.current = false;
          }}
          onKeyDown={(event) => {
            const { key } = event;
            byKey.current = key !== "Tab";
            if (key === "Escape") setChosen(null);
            if (key !== "Enter" || !isOpen) return;
            event.preventDefault();
            decide(chosen);
          }}
          onChange={({ currentTarget }) => {
            if (byKey.current) setChosen(currentTarget.value);
            else decide(currentTarget.value);
          }}
        >
          {children}
        </select>
      </label>
      {isOpen ? (
        <Button class="primary small" onClick={() => decide(chosen)}>
          {confirm}
        </Button>
      ) : null}
    </>
  );
}

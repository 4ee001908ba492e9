import type { ComponentChildren } from "preact";

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly disabled?: boolean;
}

/** How many options a select has at most. */
const MAX_OPTIONS = 500;

/** The options of a select: the first of many, and the chosen one. */
export function Options({ choices, chosen }: { choices: readonly Choice[]; chosen: string }) {
  const shown = choices.filter(({ id }, at) => at < MAX_OPTIONS || id === chosen);
  const left = choices.length - shown.length;
  return (
    <>
      {shown.map(({ id, name, disabled = false }) => (
        <option key={id} value={id} disabled={disabled}>
          {name}
        </option>
      ))}
      {left === 0 ? null : <option disabled>{left.toLocaleString("en")} more</option>}
    </>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  /** How label and select are arranged. */
  readonly class?: "field" | "field wide" | "inline-field";
  /** The options. */
  readonly children: ComponentChildren;
}

/** A select with its label. */
export const Select = ({ label, value, onChoose, children, ...rest }: SelectProps) => (
  <label class={rest.class ?? "field"}>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {children}
    </select>
  </label>
);

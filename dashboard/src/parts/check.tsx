import type { ComponentChildren } from "preact";

interface CheckProps {
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

/** A checkbox with its label. */
export const Check = ({ checked, onCheck, disabled = false, title, children }: CheckProps) => (
  <label class="check" title={title}>
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
    />
    {children}
  </label>
);

import { useState } from "preact/hooks";
import { Button } from "./button";

interface Props {
  /** `Clear` */
  readonly label: string;
  /** What the second click confirms: `Confirm clearing`. */
  readonly confirm: string;
  /** What it is about, for screen readers: `as shipped`. */
  readonly about?: string;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it takes two clicks. */
export function ConfirmedButton({ label, confirm, about = "", disabled = false, onConfirm }: Props) {
  const [asked, setAsked] = useState(false);
  const text = asked ? confirm : label;
  return (
    <Button
      class="ghost small"
      aria-label={`${text}${about && `${asked ? " of" : ""} ${about}`}`}
      disabled={disabled}
      onClick={() => {
        setAsked(!asked);
        if (asked) onConfirm();
      }}
      onBlur={() => setAsked(false)}
    >
      {text}
    </Button>
  );
}

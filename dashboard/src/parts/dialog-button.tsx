import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props {
  /** The dialog that it opens; made when it is opened. */
  readonly dialog: (onClose: () => void) => ComponentChildren;
  readonly class?: string;
  readonly label?: string;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog; `label` names one that shows an icon alone. */
export function DialogButton({ dialog, label, children, ...attributes }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        {...(attributes as ButtonHTMLAttributes<HTMLButtonElement>)}
        type="button"
        aria-label={label}
        title={label}
        onClick={() => setOpen(true)}
      >
        {children}
      </button>
      {open ? dialog(() => setOpen(false)) : null}
    </>
  );
}

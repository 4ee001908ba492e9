import type { ButtonHTMLAttributes, ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";

interface DialogProps {
  readonly onClose: () => void;
}

interface Props {
  /** The dialog that it opens, loaded when it is opened first. */
  readonly dialog: ComponentType<DialogProps>;
  readonly class?: string;
  readonly label?: string;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a dialog; `label` names one that shows an icon alone. */
export function DialogButton({ dialog: Opened, label, children, ...attributes }: Props) {
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
      {open ? <Opened onClose={() => setOpen(false)} /> : null}
    </>
  );
}

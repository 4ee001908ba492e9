import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, type ButtonProps } from "./button";

interface Props extends Omit<ButtonProps, "onClick"> {
  /** The dialog that it opens; made when it is opened. */
  readonly dialog: (onClose: () => void) => ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {open ? dialog(() => setOpen(false)) : null}
    </>
  );
}

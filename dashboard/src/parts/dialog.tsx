import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button";

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Without it the dialog stays open until it is answered. */
  readonly onClose?: () => void;
  readonly wide?: boolean;
}

export function Dialog({ title, children, onClose, wide = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The next key is the page's own as soon as the dialog is gone: a passive effect would close it with the next frame.
  useLayoutEffect(() => {
    const dialog = element.current;
    // The browser gives the focus back to the button that opened the dialog, but not to one in a menu, which is closed.
    const menu = document.activeElement?.closest("[popover]");
    const button = menu && document.querySelector<HTMLElement>(`[popovertarget="${menu.id}"]`);
    dialog?.showModal();
    return () => {
      // Closed first: a modal that leaves the page open does not give the focus back.
      dialog?.close();
      button?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser lets nobody prevent the second of two presses of Escape.
      onClose={() => {
        if (element.current === null) return;
        if (onClose === undefined) element.current.showModal();
        else onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface FootProps {
  readonly onClose: () => void;
  /** The buttons after the one that closes the dialog. */
  readonly children?: ComponentChildren;
}

/** The last row of a dialog. */
export const DialogFoot = ({ onClose, children }: FootProps) => (
  <div class="row end">
    <Button onClick={onClose}>Close</Button>
    {children}
  </div>
);

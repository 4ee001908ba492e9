import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";

interface Props {
  /** The accessible name of the button and of what it opens. */
  readonly label: string;
  /** What the button shows; its name, if not said otherwise. */
  readonly icon?: IconName;
  /** What it opens beside the button is a menu of buttons, or holds more. */
  readonly wide?: boolean;
  /** What is in it; `close` closes it. */
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
}

/** A button that opens a popover beside itself, such as a menu of other buttons. */
export function Menu({ label, icon, wide = false, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!open || button.current === null || popover.current === null) return;
    const { current: element } = popover;
    const box = button.current.getBoundingClientRect();
    // What is in it may come later, or change.
    const observer = new ResizeObserver(() => {
      const { offsetHeight: height, offsetWidth: width, style } = element;
      const top = box.bottom + height + 12 > innerHeight ? box.top - height - 4 : box.bottom + 4;
      style.top = `${Math.max(8, top)}px`;
      style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [open]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={icon === undefined ? undefined : "ghost icon-only"}
        aria-label={label}
        title={label}
        aria-haspopup="true"
        popovertarget={id}
      >
        {icon === undefined ? label : <Icon name={icon} />}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        class={wide ? "popover" : "popover menu"}
        role="group"
        aria-label={label}
        onBeforeToggle={({ newState }) => setOpen(newState === "open")}
      >
        {open && (typeof children === "function" ? children(() => popover.current?.hidePopover()) : children)}
      </div>
    </>
  );
}

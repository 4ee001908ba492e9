import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "./icon";

interface Props {
  /** The accessible name of the button and of the menu. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly class?: string;
  /** Whether the button shows its name, beside other menus. */
  readonly named?: boolean;
  /** The buttons; `close` closes the menu. */
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
}

/** A button that opens a menu of other buttons beside itself. */
export function Menu({ label, disabled = false, class: name = "", named = false, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const positionMenu = () => {
    const box = button.current?.getBoundingClientRect();
    if (box === undefined || menu.current === null) return;
    const { offsetHeight: height, offsetWidth: width, style } = menu.current;
    const top = box.bottom + height + 12 > innerHeight ? box.top - height - 4 : box.bottom + 4;
    style.top = `${Math.max(8, top)}px`;
    style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={named ? name : `ghost icon-only ${name}`}
        aria-label={label}
        title={label}
        aria-haspopup="true"
        popovertarget={id}
        // Once the menu is open and has its size.
        onClick={() => requestAnimationFrame(positionMenu)}
        disabled={disabled}
      >
        {named ? label : <Icon name="more" />}
      </button>
      <div ref={menu} id={id} popover="auto" class="menu" role="group" aria-label={label}>
        {typeof children === "function" ? children(() => menu.current?.hidePopover()) : children}
      </div>
    </>
  );
}

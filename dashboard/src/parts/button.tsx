import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Stands before what is in the button. */
  readonly icon?: IconName | undefined;
  /** Names a button that shows an icon alone. */
  readonly label?: string | undefined;
}

/** A button that does something by itself: it submits no form. */
export const Button = ({ icon, label, children, ...attributes }: Props) => (
  <button {...(label && { "aria-label": label, title: label })} {...attributes} type="button">
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
);

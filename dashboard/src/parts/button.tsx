import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Shown before the content. */
  readonly icon?: IconName | undefined;
  /** Accessible name and tooltip, such as for a button that shows only an icon. */
  readonly label?: string | undefined;
}

/** A button that submits no form. */
export const Button = ({ icon, label, children, ...attributes }: ButtonProps) => (
  <button {...(label && { "aria-label": label, title: label })} {...attributes} type="button">
    {icon === undefined ? null : <Icon name={icon} />}
    {children}
  </button>
);

import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button";

interface Props {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** A command line that would add an entry. */
  readonly command?: string | undefined;
}

/** Shown in place of an empty list: why it is empty, and how to change that. */
export const Empty = ({ title, children, command }: Props) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p class="muted">{children}</p>}
    {command === undefined ? null : (
      <div class="command">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reachable by keyboard */}
        <pre tabIndex={0}>{command}</pre>
        <CopyButton text={command} label="Copy curl" />
      </div>
    )}
  </div>
);

export const ErrorText = ({ text }: { text: string }) =>
  text === "" ? null : (
    <p class="error" role="alert">
      {text}
    </p>
  );

export const Loading = ({ what }: { what: string }) => (
  <div class="empty" role="status">
    <span class="spinner" aria-hidden="true" />
    <p class="muted">Loading {what}…</p>
  </div>
);

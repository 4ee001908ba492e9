import type { ComponentChildren } from "preact";

interface Props {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Shown in place of an empty list: why it is empty, and how to change that. */
export const Empty = ({ title, children }: Props) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p class="muted">{children}</p>}
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

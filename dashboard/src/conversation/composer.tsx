import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { Action } from "../lib/action";
import { useApp } from "../lib/context";

interface Props {
  readonly side: "customer" | "employee" | "internal";
  readonly label: string;
  /** Under what name the text is kept until it is sent. */
  readonly draft: string;
  readonly button: string;
  readonly action: Action;
  /** Why nothing can be sent; empty where it can. */
  readonly why: string;
  readonly onSend: (text: string) => Promise<unknown>;
  readonly children?: ComponentChildren;
}

/** A text field with its button. Enter sends, Shift and Enter start a new line. */
export function Composer({ side, label, draft, button, action, why, onSend, children }: Props) {
  const { drafts } = useApp().session;
  const [text, showText] = useState(() => drafts.get(draft) ?? "");
  const setText = (written: string) => {
    if (written === "") drafts.delete(draft);
    else drafts.set(draft, written);
    showText(written);
  };
  const [hint, setHint] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const note = why || action.error || hint;
  const send = async () => {
    if (why !== "" || action.busy) return;
    if (text.trim() === "") {
      setHint("Write something first.");
      field.current?.focus();
      return;
    }
    const sent = text;
    setText("");
    if (!(await action.run(() => onSend(sent))) && !drafts.has(draft)) setText(sent);
  };
  return (
    <form
      class={`composer ${side}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="composer-head">
        <label class="composer-label" for={`${id}-text`}>
          {label}
        </label>
        {children}
      </div>
      <div class="composer-row">
        <textarea
          ref={field}
          id={`${id}-text`}
          dir="auto"
          rows={1}
          value={text}
          aria-describedby={note === "" ? undefined : `${id}-note`}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setHint("");
            if (action.error !== "") action.clear();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <button
          type="submit"
          class={side === "employee" ? "primary" : undefined}
          aria-disabled={why !== "" || action.busy}
          aria-describedby={why === "" ? undefined : `${id}-note`}
        >
          {button}
        </button>
      </div>
      {note === "" ? null : (
        <p
          id={`${id}-note`}
          class={why === "" && hint === "" ? "error" : "why"}
          role={why === "" ? "alert" : undefined}
        >
          {note}
        </p>
      )}
    </form>
  );
}

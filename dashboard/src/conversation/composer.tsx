import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { Action } from "../lib/action";
import { useApp } from "../lib/context";
import type { Attachment } from "../model/types";
import { AttachFile } from "./attach-file";

interface Props {
  readonly side: "customer" | "employee" | "internal";
  readonly label: string;
  /** Under what name the text is kept until it is sent. */
  readonly draft: string;
  readonly action: Action;
  /** Why nothing can be sent; empty where it can. */
  readonly why: string;
  /** A text that goes as it is, such as a template's, in place of what is written. */
  readonly fixed?: string | undefined;
  readonly onSend: (text: string, attachment: Attachment | undefined) => Promise<unknown>;
  /** What stands above the field, where it is not folded. */
  readonly options?: ComponentChildren;
  /** What stands beside the field. */
  readonly children?: ComponentChildren;
}

/** A text field with its button. Enter sends, Shift and Enter start a new line. */
export function Composer({ side, label, draft, action, why, fixed, onSend, options, children }: Props) {
  const { drafts } = useApp().session;
  const [text, showText] = useState(() => drafts.get(draft) ?? "");
  const setText = (written: string) => {
    if (written === "") drafts.delete(draft);
    else drafts.set(draft, written);
    showText(written);
  };
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  const [hint, setHint] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const note = why || action.error || hint;
  const send = async () => {
    if (why !== "" || action.busy) return;
    if (fixed !== undefined) return void action.run(() => onSend("", undefined));
    if (text.trim() === "" && attachment === null) {
      setHint("Write something first.");
      field.current?.focus();
      return;
    }
    const sent = text;
    setText("");
    const done = await action.run(() => onSend(sent, attachment ?? undefined));
    if (done) setAttachment(null);
    // What was written meanwhile stays, too.
    else setText([sent, ...(drafts.get(draft) ?? "").split("\n")].filter((line) => line !== "").join("\n"));
  };
  const isEmpty = text === "" && fixed === undefined && attachment === null;
  // What stands in the way may be mended with what is folded away.
  const isFolded = side !== "customer" && isEmpty && why === "";
  return (
    <form
      class={`composer ${side} ${isFolded ? "folded" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="composer-head">
        <label class="composer-label" for={`${id}-text`}>
          {label}
        </label>
        {options}
        {fixed === undefined ? (
          <AttachFile
            by={side === "customer" ? "the customer" : "an employee"}
            attachment={attachment}
            onAttach={setAttachment}
          />
        ) : null}
      </div>
      <div class="composer-row">
        <textarea
          ref={field}
          id={`${id}-text`}
          dir="auto"
          rows={1}
          value={fixed ?? text}
          placeholder={label}
          readOnly={fixed !== undefined}
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
        {children}
        <button
          type="submit"
          class={side === "customer" ? "primary" : undefined}
          aria-disabled={why !== "" || action.busy}
          aria-describedby={why === "" ? undefined : `${id}-note`}
        >
          Send<span class="if-roomy"> as {side === "customer" ? "customer" : "employee"}</span>
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

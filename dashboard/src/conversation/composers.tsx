import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { isShownOpen } from "../../../src/kernel/windows.js";
import { type Action, submitting, useAction } from "../lib/action";
import { BANNER, useApp } from "../lib/context";
import type { Attachment, Thread } from "../model/types";
import { Button } from "../parts/button";
import { Check } from "../parts/check";
import { Options } from "../parts/options";

/** The two fields to write in: as the customer, and as an employee in the service's own app. */
export const Composers = ({ thread }: { thread: Thread }) => (
  <div class="composers">
    <CustomerComposer thread={thread} />
    <EmployeeComposer thread={thread} />
  </div>
);

function CustomerComposer({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  return (
    <Composer
      side="customer"
      draft={`${thread.id} customer`}
      label="Write as the customer"
      action={action}
      why=""
      onSend={(text, attachment) => {
        session.conversationOf(thread.id)?.showEnd();
        const body = omitUndefined({ text: text || undefined, attachment });
        return session.transport.call("POST", `/threads/${thread.id}/inbound`, { body });
      }}
    />
  );
}

function EmployeeComposer({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const [internal, setInternal] = useState(false);
  const [chosen, setChosen] = useState("");
  const id = useId();
  const employees = session.tables.employees(thread);
  const user = employees.find((one) => one.id === chosen) ?? employees[0];
  const isKeptBack = !internal && !isShownOpen(session.windowView(), thread);
  const { state } = session.connection.value;
  const whyNot =
    user === undefined && state === "live"
      ? "This business has no employees."
      : isKeptBack
        ? "Window closed: internal only."
        : "";
  return (
    <Composer
      side={internal ? "internal" : "employee"}
      draft={`${thread.id} employee`}
      label="Write as an employee"
      action={action}
      why={whyNot}
      options={
        <label class="inline-field" for={id}>
          <span class="visually-hidden">Employee</span>
          <select
            id={id}
            class="small"
            aria-label="Employee"
            value={user?.id ?? ""}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {employees.length === 0 ? <option value="">nobody</option> : null}
            <Options
              choices={employees.map((one) => ({ id: one.id, name: one.displayName }))}
              chosen={user?.id ?? ""}
            />
          </select>
        </label>
      }
      onSend={(text) => {
        session.conversationOf(thread.id)?.showEnd();
        const body = { userId: user?.id, text, internal };
        return session.transport.call("POST", `/threads/${thread.id}/employee-message`, { body });
      }}
    >
      <Check checked={internal} onCheck={setInternal}>
        Internal
      </Check>
    </Composer>
  );
}

interface Props {
  readonly side: "customer" | "employee" | "internal";
  readonly label: string;
  /** Under what name the text is kept until it is sent. */
  readonly draft: string;
  readonly action: Action;
  /** Why nothing can be sent; empty where it can. */
  readonly why: string;
  readonly onSend: (text: string, attachment: Attachment | undefined) => Promise<unknown>;
  /** What stands above the field, where it is not folded. */
  readonly options?: ComponentChildren;
  /** What stands beside the field. */
  readonly children?: ComponentChildren;
}

/** A text field with its button. Enter sends, Shift and Enter start a new line. */
function Composer({ side, label, draft, action, why, onSend, options, children }: Props) {
  const { drafts, connection } = useApp().session;
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
  // The banner says so; before the first connection stands a call gets through.
  const isAway = "error" in connection.value;
  const isStopped = why !== "" || isAway;
  const note = isAway ? "" : why || action.error || hint;
  const send = async () => {
    if (isStopped || action.busy) return;
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
  const isEmpty = text === "" && attachment === null;
  // What stands in the way may be mended with what is folded away.
  const isFolded = side !== "customer" && isEmpty && why === "";
  return (
    <form class={`composer ${side} ${isFolded ? "folded" : ""}`} onSubmit={submitting(send)}>
      <label class="visually-hidden" for={`${id}-text`}>
        {label}
      </label>
      <div class="composer-head">
        {options}
        {side === "customer" ? <AttachFile attachment={attachment} onAttach={setAttachment} /> : null}
      </div>
      <div class="composer-row">
        <textarea
          ref={field}
          id={`${id}-text`}
          dir="auto"
          rows={1}
          value={text}
          placeholder={label}
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
          aria-disabled={isStopped || action.busy}
          aria-describedby={isAway ? BANNER : why === "" ? undefined : `${id}-note`}
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

/** A file as the service describes one: what is in it stays here. */
function described({ name, type, size }: File): Attachment {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const uuid = hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return { uuid, name, contentType: type || "application/octet-stream", contentLength: size };
}

interface AttachFileProps {
  readonly attachment: Attachment | null;
  readonly onAttach: (attachment: Attachment | null) => void;
}

/** Chooses a file to go with a message, and shows which one was. */
function AttachFile({ attachment, onAttach }: AttachFileProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File of the customer"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onAttach(described(file));
          currentTarget.value = "";
        }}
      />
      {attachment === null ? (
        <Button
          icon="plus"
          class="ghost small"
          aria-label="Attach a file as the customer"
          onClick={() => input.current?.click()}
        >
          <span class="if-roomy">File</span>
        </Button>
      ) : (
        <span class="attached small-text">
          <span class="ellipsis" dir="auto">
            {attachment.name}
          </span>
          <Button
            icon="cross"
            class="ghost icon-only"
            aria-label={`Remove ${attachment.name}`}
            onClick={() => onAttach(null)}
          />
        </span>
      )}
    </>
  );
}

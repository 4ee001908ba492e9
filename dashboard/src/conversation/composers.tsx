import { useId, useState } from "preact/hooks";
import { omitUndefined } from "../../../src/kernel/objects.js";
import { isShownOpen } from "../../../src/protocol/windows.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import type { Connection, Session } from "../model/session";
import type { Template, Thread } from "../model/types";
import { Options } from "../parts/options";
import { Composer } from "./composer";

/** The two fields to write in: as the customer, and as an employee in the service's own app. */
export const Composers = ({ thread }: { thread: Thread }) => (
  <div class="composers">
    <CustomerComposer thread={thread} />
    <EmployeeComposer thread={thread} />
  </div>
);

/** A call gets through before the first connection stands. */
const WHY_NOT: Readonly<Record<Connection["state"], string>> = {
  live: "",
  connecting: "",
  lost: "The simulator does not respond.",
  gone: "This sandbox no longer exists.",
  failed: "The simulator refused the connection.",
};

function CustomerComposer({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  return (
    <Composer
      side="customer"
      draft={`${thread.id} customer`}
      label="Write as the customer"
      action={action}
      why={WHY_NOT[session.connection.value.state]}
      onSend={(text, attachment) => {
        session.conversationOf(thread.id)?.showEnd();
        const body = omitUndefined({ text: text || undefined, attachment });
        return session.transport.call("POST", `/threads/${thread.id}/inbound`, { body });
      }}
    />
  );
}

/** The templates that may be sent in a thread. */
function templatesOf(session: Session, { businessId, channel }: Thread): Template[] {
  const { tables } = session;
  if (session.behaviourValue("templates.channels")?.includes(channel) !== true) return [];
  const organization = tables.businesses.get(businessId)?.organizationId;
  return [...tables.templates.records.values()].filter(
    ({ organizationId }) => organizationId === organization,
  );
}

function EmployeeComposer({ thread }: { thread: Thread }) {
  const { session } = useApp();
  const action = useAction();
  const [internal, setInternal] = useState(false);
  const [chosen, setChosen] = useState("");
  const [contentSid, setContentSid] = useState("");
  const id = useId();
  const employees = session.tables.employees(thread);
  const user = employees.find((one) => one.id === chosen) ?? employees[0];
  const templates = templatesOf(session, thread);
  const template = internal ? undefined : templates.find((one) => one.id === contentSid);
  const isKeptBack = !internal && template === undefined && !isShownOpen(session.windowView(), thread);
  const { state } = session.connection.value;
  const windowNote = `Window closed: ${templates.length === 0 ? "" : "templates and "}internal only.`;
  const whyNot =
    WHY_NOT[state] ||
    (user === undefined && state === "live"
      ? "This business has no employees."
      : isKeptBack
        ? windowNote
        : "");
  return (
    <Composer
      side={internal ? "internal" : "employee"}
      draft={`${thread.id} employee`}
      label="Write as an employee"
      action={action}
      why={whyNot}
      fixed={template?.text}
      options={
        <>
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
          {templates.length === 0 || internal ? null : (
            <select
              class="small template-select"
              aria-label="Template"
              value={template?.id ?? ""}
              onChange={(event) => setContentSid(event.currentTarget.value)}
            >
              <option value="">no template</option>
              <Options
                choices={templates.map(({ id, title }) => ({ id, name: title }))}
                chosen={template?.id ?? ""}
              />
            </select>
          )}
        </>
      }
      onSend={async (text, attachment) => {
        session.conversationOf(thread.id)?.showEnd();
        const content =
          template === undefined ? { text: text || undefined, attachment, internal } : { contentSid };
        const body = omitUndefined({ userId: user?.id, ...content });
        await session.transport.call("POST", `/threads/${thread.id}/employee-message`, { body });
        setContentSid("");
      }}
    >
      <label class="check">
        <input
          type="checkbox"
          checked={internal}
          onChange={(event) => setInternal(event.currentTarget.checked)}
        />
        Internal
      </label>
    </Composer>
  );
}

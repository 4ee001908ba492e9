import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { RecordEditor } from "./record-editor";

/** The users of the sandbox, who they are and where they work; each can be edited. */
export default function UsersDialog({ onClose }: { onClose: () => void }) {
  const { tables } = useApp().session;
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<string | null>(null);
  const wanted = search.trim().toLowerCase();
  const users = [...tables.users.records.values()].filter(
    ({ id, displayName, email }) =>
      id === open || `${id} ${displayName} ${email}`.toLowerCase().includes(wanted),
  );
  return (
    <Dialog title="Users" onClose={onClose} wide>
      <input
        type="search"
        aria-label="Search users"
        placeholder="Search name, e-mail, id"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <ul class="records" aria-label="Users">
        <Bounded items={users} step={20}>
          {(user) => (
            <li key={user.id} class="card">
              <div class="row spread">
                <div class="grow">
                  <strong dir="auto">{user.displayName}</strong>
                  <p class="muted small-text">
                    {user.id}, {user.email}
                    {user.contactable ? "" : ", not contactable"}
                  </p>
                  <p class="small-text" dir="auto">
                    {user.businessIds.map((id) => tables.businesses.get(id)?.name ?? id).join(", ") ||
                      "no business"}
                  </p>
                </div>
                {user.id === open ? null : (
                  <Button
                    class="small"
                    aria-label={`Edit ${user.displayName}`}
                    onClick={() => setOpen(user.id)}
                  >
                    Edit
                  </Button>
                )}
              </div>
              {user.id === open ? (
                <RecordEditor collection="users" record={user} onClose={() => setOpen(null)} />
              ) : null}
            </li>
          )}
        </Bounded>
      </ul>
      <DialogFoot onClose={onClose} />
    </Dialog>
  );
}

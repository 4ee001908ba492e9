import { useEffect, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { isoTime } from "../lib/format";
import { withUndo } from "../model/moment";
import type { Snapshot } from "../model/types";
import { Bounded } from "../parts/bounded";
import { ConfirmedButton } from "../parts/confirmed-button";
import { Dialog } from "../parts/dialog";
import { ErrorText } from "../parts/empty";
import { StateFiles } from "./state-files";

/** The snapshots of the sandbox, and its state as a file. */
export default function SnapshotsDialog({ onClose }: { onClose: () => void }) {
  const { session } = useApp();
  const { transport } = session;
  const action = useAction();
  const [list, setList] = useState<readonly Snapshot[]>([]);
  const [name, setName] = useState("");
  const read = async () => setList(await transport.call<Snapshot[]>("GET", "/snapshots"));
  useEffect(() => {
    void action.run(read);
  }, [transport]);
  const take = () =>
    action.run(async () => {
      const body = { name: name.trim() || isoTime(session.clock.now()) };
      await transport.call("POST", "/snapshots", { body });
      setName("");
      await read();
    });
  const restore = (one: Snapshot) =>
    action.run(async () => {
      const path = `/snapshots/${encodeURIComponent(one.name)}/restore`;
      await withUndo(session, "restore", async (snapshot) => {
        await transport.call("POST", path, { query: { snapshot } });
        return `State and clock restored from ${one.name}`;
      });
      onClose();
    });
  const remove = (one: Snapshot) =>
    action.run(async () => {
      await transport.call("DELETE", `/snapshots/${encodeURIComponent(one.name)}`);
      await read();
    });
  return (
    <Dialog title="Snapshots and state" onClose={onClose} wide>
      <section class="stack" aria-label="Snapshots">
        <p class="muted">
          A snapshot holds state and clock. The page takes one before each reset, advance, run, restore, undo
          and redo. Undoing a reset also restores logs, faults, behaviour, sinks and deliveries.
        </p>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void take();
          }}
        >
          <label class="inline-field grow">
            <span>Name</span>
            <input
              class="grow"
              autocomplete="off"
              placeholder="the sandbox's time"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
          <button type="submit" class="primary" disabled={action.busy}>
            Take snapshot
          </button>
        </form>
        <ErrorText text={action.error} />
        {list.length === 0 ? <p class="muted">No snapshots yet.</p> : null}
        <ul class="records" aria-label="Snapshots">
          <Bounded items={list.toReversed()} step={20}>
            {(one) => (
              <SnapshotItem
                key={one.name}
                snapshot={one}
                busy={action.busy}
                onRestore={() => restore(one)}
                onRemove={() => remove(one)}
              />
            )}
          </Bounded>
        </ul>
      </section>
      <StateFiles onImported={onClose} />
      <div class="row end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface ItemProps {
  readonly snapshot: Snapshot;
  readonly busy: boolean;
  readonly onRestore: () => void;
  readonly onRemove: () => void;
}

function SnapshotItem({ snapshot: { name, now, frozen }, busy, onRestore, onRemove }: ItemProps) {
  return (
    <li class="card">
      <div class="row">
        <div class="grow">
          <strong class="break">{name}</strong>
          <p class="muted small-text">
            {isoTime(now)}, the clock {frozen ? "stands" : "runs"}
          </p>
        </div>
        <button
          type="button"
          class="small"
          aria-label={`Restore ${name}`}
          disabled={busy}
          onClick={onRestore}
        >
          Restore
        </button>
        <ConfirmedButton
          label="Remove"
          confirm="Confirm removal"
          about={name}
          disabled={busy}
          onConfirm={onRemove}
        />
      </div>
    </li>
  );
}

import { useEffect, useRef, useState } from "preact/hooks";
import { type ErrorDetail, SimError } from "../../../src/client/errors.js";
import { submitting, useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";
import type { Snapshot } from "../model/types";
import { PAGE_SNAPSHOT, withUndo } from "../model/undo";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { ConfirmedButton } from "../parts/confirmed-button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { ErrorText } from "../parts/empty";

/** The snapshots of the sandbox, and its state as a file. */
export default function SnapshotsDialog({ onClose }: { onClose: () => void }) {
  const { session } = useApp();
  const { transport } = session;
  const action = useAction();
  const [list, setList] = useState<readonly Snapshot[]>([]);
  const [name, setName] = useState("");
  const read = async () => {
    const all = await transport.call<Snapshot[]>("GET", "/snapshots");
    setList(all.filter((one) => !PAGE_SNAPSHOT.test(one.name)));
  };
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
      await withUndo(session, "restore", async () => {
        await transport.call("POST", path);
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
          A snapshot holds state and clock. Restoring one leaves logs, faults and behaviour as they are.
        </p>
        <form class="row" onSubmit={submitting(take)}>
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
      <DialogFoot onClose={onClose} />
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
          <strong>{name}</strong>
          <p class="muted small-text">
            {isoTime(now)}, the clock {frozen ? "stands" : "runs"}
          </p>
        </div>
        <Button class="small" aria-label={`Restore ${name}`} disabled={busy} onClick={onRestore}>
          Restore
        </Button>
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

/** Why a file was not taken. */
interface Refused {
  readonly file: string;
  readonly problems: readonly ErrorDetail[];
}

/** Writes the state to a file, which is a fixture, and puts one in its place. */
function StateFiles({ onImported }: { onImported: () => void }) {
  const { session } = useApp();
  const { transport } = session;
  const input = useRef<HTMLInputElement>(null);
  const action = useAction();
  const [refused, setRefused] = useState<Refused | null>(null);
  const save = () =>
    action.run(async () => {
      const response = await transport.send("GET", "/state");
      const at = isoTime(session.clock.now()).slice(0, 19).replaceAll(":", "-");
      download(`state-${session.sandbox}-${at}.json`, await response.text());
    });
  const load = (file: File) =>
    action.run(async () => {
      setRefused(null);
      const body = parsed(file.name, await file.text());
      try {
        await withUndo(session, "import", async () => {
          await transport.call("PUT", "/state", { body });
          return `State imported from ${file.name}`;
        });
        onImported();
      } catch (error) {
        if (!(error instanceof SimError) || error.details.length === 0) throw error;
        setRefused({ file: file.name, problems: error.details });
      }
    });
  return (
    <section class="stack" aria-label="State">
      <h3>State</h3>
      <p class="muted">
        A state is a fixture: <code>serve --fixtures FILE</code> starts with it. Importing one replaces all
        records; the clock stays.
      </p>
      <div class="row">
        <Button disabled={action.busy} onClick={save}>
          Export state
        </Button>
        <Button disabled={action.busy} onClick={() => input.current?.click()}>
          Import state…
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="State file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void load(file);
            currentTarget.value = "";
          }}
        />
      </div>
      <ErrorText text={action.error} />
      {refused === null ? null : (
        <div role="alert" class="error">
          <p>{refused.file} is invalid, and nothing was changed:</p>
          <ul aria-label="Problems">
            <Bounded items={refused.problems} step={20}>
              {({ path, message }) => (
                <li key={`${path} ${message}`}>
                  <code>{path}</code> {message}
                </li>
              )}
            </Bounded>
          </ul>
        </div>
      )}
    </section>
  );
}

/** @throws Error with the place at which a text is no JSON object */
function parsed(file: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${file} is not a fixture: it must be an object`);
}

import { useRef, useState } from "preact/hooks";
import type { ErrorDetail } from "../../../src/client/errors.js";
import { SimError } from "../../../src/client/errors.js";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { isoTime } from "../lib/format";
import { withUndo } from "../model/moment";
import { Bounded } from "../parts/bounded";
import { ErrorText } from "../parts/empty";

/** Why a file was not taken. */
interface Refused {
  readonly file: string;
  readonly problems: readonly ErrorDetail[];
}

/** Writes the state to a file, which is a fixture, and puts one in its place. */
export function StateFiles({ onImported }: { onImported: () => void }) {
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
        await withUndo(session, "import", async (snapshot) => {
          await transport.call("PUT", "/state", { query: { snapshot }, body });
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
        <button type="button" disabled={action.busy} onClick={save}>
          Export state
        </button>
        <button type="button" disabled={action.busy} onClick={() => input.current?.click()}>
          Import state…
        </button>
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

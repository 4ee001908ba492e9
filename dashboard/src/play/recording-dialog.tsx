import { useMemo, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { recordedFrom } from "../model/recorded-steps";
import { scenarioOf } from "../model/scenario";
import type { Thread } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Dialog } from "../parts/dialog";
import { curlOf } from "./curl-text";
import { vitestOf } from "./vitest-text";

const FORMS = [
  ["Scenario", "yaml", (_, recorded) => scenarioOf(recorded)],
  ["Test in vitest", "test.mjs", vitestOf],
  ["curl script", "sh", curlOf],
] as const satisfies readonly (readonly [name: string, extension: string, write: typeof vitestOf])[];

interface Props {
  readonly thread: Thread;
  /** The id of the message to start with. */
  readonly from: string;
  readonly onClose: () => void;
}

/** The conversation from a message on, to be played again: as a scenario, a test or a script. */
export function RecordingDialog({ thread: { id: threadId }, from, onClose }: Props) {
  const { session } = useApp();
  const recorded = useMemo(() => recordedFrom(session, threadId, from), [session, threadId, from]);
  const [chosen, setChosen] = useState<string>(FORMS[0][0]);
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const [name, extension, write] = FORMS.find(([one]) => one === chosen) ?? FORMS[0];
  const text = changed[name] ?? write(session, recorded);
  return (
    <Dialog title="Save as test" onClose={onClose} wide>
      <p class="muted">
        The test repeats the messages of people and expects your bot's messages as replies. Edit it as needed.
      </p>
      <fieldset class="segments">
        <legend class="visually-hidden">Form</legend>
        {FORMS.map(([form]) => (
          <label key={form}>
            <input type="radio" name="form" checked={form === name} onChange={() => setChosen(form)} />
            <span>{form}</span>
          </label>
        ))}
      </fieldset>
      <textarea
        class="mono tall"
        aria-label={name}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setChanged({ ...changed, [name]: currentTarget.value })}
      />
      <div class="row end">
        <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />
        <button type="button" onClick={() => download(`thread-${threadId}.${extension}`, text)}>
          Download
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { type Recording, recordingOf } from "../model/recording";
import type { Thread } from "../model/types";
import { Button } from "../parts/button";
import { CopyButton } from "../parts/copy-button";
import { Dialog, DialogFoot } from "../parts/dialog";
import { ErrorText } from "../parts/empty";
import { Segments } from "../parts/segments";
import { curlOf, vitestOf } from "./test-text";

const FORMS = [
  ["Scenario", "yaml", (_, { text }) => text],
  ["Test in vitest", "test.mjs", vitestOf],
  ["curl script", "sh", curlOf],
] as const satisfies readonly (readonly [name: string, extension: string, write: typeof vitestOf])[];

interface Props {
  readonly thread: Thread;
  /** The id of the message to start with; null for all. */
  readonly from: string | null;
  readonly onClose: () => void;
}

/** The conversation from a message on, to be played again: as a scenario, a test or a script. */
export default function RecordingDialog({ thread: { id: threadId }, from, onClose }: Props) {
  const { session } = useApp();
  const action = useAction();
  const [recording, setRecording] = useState<Recording | null>(null);
  const [chosen, setChosen] = useState<string>(FORMS[0][0]);
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    const isDue = session.conversationOf(threadId)?.due.peek() != null;
    void action.run(async () => setRecording(await recordingOf(session, threadId, { from, isDue })));
  }, [session, threadId, from]);
  const [name, extension, write] = FORMS.find(([one]) => one === chosen) ?? FORMS[0];
  const text = changed[name] ?? (recording === null ? "" : write(session, recording));
  return (
    <Dialog title="Save as test" onClose={onClose} wide>
      <p class="muted">
        The test repeats the actions of people, clock and faults, and expects your bot's calls; if a reply is
        due, it waits for one. Edit it as needed.
      </p>
      <Segments
        label="Form"
        choices={FORMS.map(([form]) => [form, form] as const)}
        chosen={name}
        onChoose={setChosen}
      />
      <ErrorText text={action.error} />
      <textarea
        class="mono tall"
        aria-label={name}
        aria-busy={action.busy}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setChanged({ ...changed, [name]: currentTarget.value })}
      />
      <DialogFoot onClose={onClose}>
        <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />
        <Button class="primary" onClick={() => download(`thread-${threadId}.${extension}`, text)}>
          Download
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

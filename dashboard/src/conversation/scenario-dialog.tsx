import { useMemo, useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { download } from "../lib/files";
import { scenarioFrom } from "../model/scenario";
import type { Thread } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Dialog } from "../parts/dialog";

interface Props {
  readonly thread: Thread;
  /** The id of the message to start with. */
  readonly from: string;
  readonly onClose: () => void;
}

/** The conversation from a message on as a scenario. */
export function ScenarioDialog({ thread, from, onClose }: Props) {
  const { session } = useApp();
  const made = useMemo(() => scenarioFrom(session, thread, from), [session, thread, from]);
  const [text, setText] = useState(made);
  return (
    <Dialog title="Save as scenario" onClose={onClose} wide>
      <p class="muted">
        What people wrote is written again; what your client sent is expected as its reply. Change it as you
        like.
      </p>
      <textarea
        class="mono tall"
        aria-label="Scenario"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row end">
        <CopyButton text={text} label="Copy scenario" />
        <button type="button" onClick={() => download(`thread-${thread.id}.yaml`, text)}>
          Download
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

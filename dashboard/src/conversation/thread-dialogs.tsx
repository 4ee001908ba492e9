/** The dialogs of a conversation, each loaded when it is opened first. */
import { lazy } from "../lib/lazy";
import type { Thread } from "../model/types";

interface Props {
  readonly thread: Thread;
  /** The id of the message to start with. */
  readonly from: string;
  readonly onClose: () => void;
}

/** The conversation from a message on, to be played again. */
export const ScenarioDialog = lazy<Props>(
  "the test",
  async () => (await import("../play/recording-dialog")).RecordingDialog,
);

/** The turn of a message, or the whole conversation, to be given to others. */
export const ShareDialog = lazy<Omit<Props, "from"> & { readonly from: string | null }>(
  "what is shared",
  async () => (await import("../play/share-dialog")).ShareDialog,
);

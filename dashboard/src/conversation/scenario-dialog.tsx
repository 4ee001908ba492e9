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

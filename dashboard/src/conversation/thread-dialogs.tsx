/** The dialogs of a conversation, each loaded when it is opened first. */
import { useApp } from "../lib/context";
import { lazy } from "../lib/lazy";
import type { Conversation } from "../model/conversation";
import type { Message, Thread } from "../model/types";
import type { ShareProps } from "../play/share-dialog";
import { authorName } from "./author";
import { dueNow } from "./due";

interface Props {
  readonly thread: Thread;
  /** The id of the message to start with; null for all. */
  readonly from: string | null;
  readonly onClose: () => void;
}

/** The conversation from a message on, to be played again. */
export const ScenarioDialog = lazy<Props>(
  "the test",
  async () => (await import("../play/recording-dialog")).RecordingDialog,
);

/** How long each part of a turn took. */
export const TimingDialog = lazy<Omit<Props, "from">>(
  "the times",
  async () => (await import("../play/timing-dialog")).TimingDialog,
);

const Share = lazy<ShareProps>(
  "what is shared",
  async () => (await import("../play/share-dialog")).ShareDialog,
);

/** The turn of a message, or the whole conversation, to be given to others. */
export function ShareDialog({ thread, from, onClose }: Props) {
  const { session } = useApp();
  const due = (conversation: Conversation) => {
    const { since = "", text = "", fix = "" } = dueNow(session, conversation) ?? {};
    return `${since} ${text} ${fix}`.trim();
  };
  const authorOf = (message: Message) => authorName(session, message, thread);
  return <Share thread={thread} from={from} due={due} authorOf={authorOf} onClose={onClose} />;
}

import { useApp } from "../lib/context";
import { Empty } from "../parts/empty";
import { Composers } from "./composers";
import { ConversationLog } from "./conversation-log";
import { ThreadHead } from "./thread-head";
import { WhyNoReply } from "./why-no-reply";

/** An open thread: its state, its messages, and the fields to write in. */
export default function ThreadView({ id }: { id: string }) {
  const { session } = useApp();
  const thread = session.tables.threads.get(id);
  if (thread === undefined)
    return (
      <div class="thread-view blank">
        <Empty title={`Thread ${id} not found`}>
          It is not in this sandbox, or the last reset removed it. Choose another thread.
        </Empty>
      </div>
    );
  return (
    <section key={thread.id} class="thread-view" aria-label={`Thread ${thread.id}`}>
      <ThreadHead thread={thread} />
      <ConversationLog thread={thread} />
      <WhyNoReply key={`why ${thread.id}`} thread={thread} />
      <Composers key={thread.id} thread={thread} />
    </section>
  );
}

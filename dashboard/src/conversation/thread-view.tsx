import { useApp } from "../lib/context";
import { FirstRun } from "../parts/connect-button";
import { Empty } from "../parts/empty";
import { Composers } from "./composers";
import { ConversationLog } from "./conversation-log";
import { ThreadHead } from "./thread-head";

/** The open thread: its state, its messages, and the fields to write in. */
export function ThreadView() {
  const { session, route } = useApp();
  if (route.thread === null)
    return (
      <div class="thread-view blank">
        <FirstRun />
        <Empty title="Choose a thread">
          Open a conversation on the left, write as its customer, and watch what your integration makes of it.
        </Empty>
      </div>
    );
  const thread = session.tables.threads.get(route.thread);
  if (thread === undefined)
    return (
      <div class="thread-view blank">
        <Empty title={`There is no thread ${route.thread}`}>
          It is not in this sandbox, or it is gone since the last reset. Choose another one.
        </Empty>
      </div>
    );
  return (
    <section class="thread-view" aria-label={`Thread ${thread.id}`}>
      <ThreadHead thread={thread} />
      <ConversationLog thread={thread} />
      <Composers key={thread.id} thread={thread} />
    </section>
  );
}

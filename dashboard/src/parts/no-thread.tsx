import { FirstRun } from "./connect-button";
import { Empty } from "./empty";

/** Shown where no thread is open. */
export const NoThread = () => (
  <div class="thread-view blank">
    <FirstRun />
    <Empty title="Choose a thread">
      Open a conversation on the left, write as its customer, and watch what your integration makes of it.
    </Empty>
  </div>
);

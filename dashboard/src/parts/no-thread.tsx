import { FirstRun } from "./connect-button";
import { Empty } from "./empty";

/** Shown where no thread is open. */
export const NoThread = () => (
  <div class="thread-view blank">
    <FirstRun />
    <Empty title="Choose a thread">
      Open a conversation on the left, write as its customer, and watch your bot's response.
    </Empty>
  </div>
);

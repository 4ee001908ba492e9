import { useEffect, useState } from "preact/hooks";
import { useApp } from "./context";
import { errorMessage, UNREACHABLE } from "./control";

export interface Action {
  readonly busy: boolean;
  /** What went wrong the last time; empty where nothing did. */
  readonly error: string;
  /** Runs `work` and resolves with whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** State of a call that the person starts: busy while it runs, and where it failed what `say` says of the error. */
export function useAction(say = errorMessage): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const live = useApp().session.connection.value.state === "live";
  useEffect(() => {
    if (live) setError((old) => (old === UNREACHABLE ? "" : old));
  }, [live]);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError("");
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(say(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run, clear: () => setError("") };
}

/** The same for a call without a place for its error: a notice shows it. */
export function useNotifiedAction(): Action {
  const { notify } = useApp();
  const action = useAction();
  useEffect(() => {
    if (action.error !== "") notify(action.error, "bad");
  }, [action.error, notify]);
  return action;
}

/** A submit handler that runs `work`; the browser does not send the form. */
export const submitting = (work: () => unknown) => (event: Event) => {
  event.preventDefault();
  void work();
};

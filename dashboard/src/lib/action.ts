import { useState } from "preact/hooks";
import { errorMessage } from "./transport";

export interface Action {
  readonly busy: boolean;
  /** What went wrong the last time; empty where nothing did. */
  readonly error: string;
  /** Runs `work` and resolves with whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** Something that the person starts: busy while it runs, and the server's message where it was refused. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError("");
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(errorMessage(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run, clear: () => setError("") };
}

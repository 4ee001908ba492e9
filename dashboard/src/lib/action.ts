import { useState } from "preact/hooks";
import { wordsOf } from "./api";
import { useApp } from "./context";

export interface Action {
  readonly busy: boolean;
  /** What went wrong the last time; empty where nothing did. */
  readonly trouble: string;
  /** Runs something; true when it went well. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** Something that the person starts: busy while it runs, and the server's own words where it was refused. */
export function useAction(): Action {
  const { session } = useApp();
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setTrouble("");
    try {
      await session.act(work);
      return true;
    } catch (error) {
      setTrouble(wordsOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, trouble, run, clear: () => setTrouble("") };
}

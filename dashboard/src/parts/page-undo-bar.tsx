import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { HistoryDialog } from "./dialogs";
import { UndoBar } from "./undo-bar";

/** The bar of the page, while no dialog keeps it out of reach, and the history that it opens. */
export const PageUndoBar = () => {
  const { undos } = useApp().session;
  const [showsHistory, setShowsHistory] = useState(false);
  const closeHistory = () => {
    setShowsHistory(false);
    // The bar is made anew, and its button with it.
    setTimeout(() => document.querySelector<HTMLElement>(".history-button")?.focus());
  };
  return (
    <>
      {undos.dialogs.value > 0 ? null : (
        <UndoBar done={undos.newest} undone={undos.undone} onHistory={() => setShowsHistory(true)} />
      )}
      {showsHistory ? <HistoryDialog onClose={closeHistory} /> : null}
    </>
  );
};

import { useEffect } from "preact/hooks";
import { AppContext, useApp } from "./lib/context";
import type { Page } from "./model/page";
import { TokenDialog } from "./parts/dialogs";
import { Shell } from "./shell";

/** The page, its notices, and the question for the control token. */
export function Root({ page }: { page: Page }) {
  const { access } = page;
  const prompt = access.prompt.value;
  return (
    <AppContext.Provider value={page}>
      <Shell notices={<Notices />} />
      {prompt === null ? null : (
        <TokenDialog refused={prompt.refused} onAnswer={(token) => access.answer(token)} />
      )}
    </AppContext.Provider>
  );
}

const PRESENCE = ["pointermove", "pointerdown", "keydown"] as const;

/** Short messages, until somebody has read them. */
function Notices() {
  const page = useApp();
  useEffect(() => {
    const ended = new AbortController();
    const onPresence = () => page.dropRead();
    for (const type of PRESENCE) addEventListener(type, onPresence, { capture: true, signal: ended.signal });
    return () => ended.abort();
  }, [page]);
  return (
    <div class="notices" role="status">
      {page.notices.value.map(({ id, text, tone }) => (
        <p key={id} class={`notice ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}

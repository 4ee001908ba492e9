import { useCallback, useEffect, useState } from "preact/hooks";

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
  /** When there was time to read it, ms of the page. */
  readonly until: number;
}

/** Who looked elsewhere still finds a notice: after this time it goes as soon as somebody is there, not before. */
const NOTICE_MS = { good: 3_000, bad: 8_000 };
const PRESENCE = ["pointermove", "pointerdown", "keydown"] as const;

/** The notices that are shown, and the function that shows another one. */
export function useNotices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const notify = useCallback((text: string, tone: Notice["tone"] = "good") => {
    const now = performance.now();
    const notice = { id: now + Math.random(), text, tone, until: now + NOTICE_MS[tone] };
    setNotices((old) => [...old.slice(-2), notice]);
  }, []);
  useEffect(() => {
    const ended = new AbortController();
    const onPresence = () => {
      const isLeft = ({ until }: Notice) => until > performance.now();
      setNotices((old) => (old.every(isLeft) ? old : old.filter(isLeft)));
    };
    for (const type of PRESENCE) addEventListener(type, onPresence, { capture: true, signal: ended.signal });
    return () => ended.abort();
  }, []);
  return { notices, notify };
}

/** Short messages. */
export const Notices = ({ notices }: { notices: readonly Notice[] }) => (
  <div class="notices" role="status">
    {notices.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
);

import { useEffect, useState } from "preact/hooks";

/** Renders the component again and again while `on`, each second if not said otherwise; how often it has. */
export function useTick(on: boolean, everyMs = 1_000): number {
  const [count, tick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => tick((before) => before + 1), everyMs);
    return () => clearInterval(timer);
  }, [on, everyMs]);
  return count;
}

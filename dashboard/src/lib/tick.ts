import { useEffect, useState } from "preact/hooks";

/** Renders the component again and again while `on`, each second if not said otherwise. */
export function useTick(on: boolean, everyMs = 1_000): void {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => tick((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, [on, everyMs]);
}

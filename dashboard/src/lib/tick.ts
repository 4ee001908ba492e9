import { useEffect, useState } from "preact/hooks";

/** Renders the component again each second while `on`. */
export function useTick(on: boolean): void {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [on]);
}

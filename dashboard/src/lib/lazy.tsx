import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "../parts/empty";

/** A component whose code is loaded when it is shown first: the first view does without. */
export function lazy<Props extends object = Record<string, never>>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Lazy(props) {
    const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<Props> } | null>(null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      load().then(
        (Part) => setLoaded({ Part }),
        () => setFailed(true),
      );
    }, []);
    if (failed) return <p class="error pad">Could not load {what}. Reload the page.</p>;
    return loaded === null ? <Loading what={what} /> : <loaded.Part {...props} />;
  };
}

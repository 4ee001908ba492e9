import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "../parts/empty";

/**
 * The default export of a module, loaded when it is first shown and at hand from then on: the first view does not load it.
 */
export function lazy<Props extends object>(
  what: string,
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  let known: { readonly Part: ComponentType<Props> } | null = null;
  return function Lazy(props) {
    const [loaded, setLoaded] = useState(() => known);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      load().then(
        ({ default: Part }) => {
          known ??= { Part };
          setLoaded(known);
        },
        () => setFailed(true),
      );
    }, []);
    if (failed) return <p class="error pad">Could not load {what}. Reload the page.</p>;
    return loaded === null ? <Loading what={what} /> : <loaded.Part {...props} />;
  };
}

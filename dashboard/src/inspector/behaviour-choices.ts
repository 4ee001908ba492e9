import { useEffect, useState } from "preact/hooks";
import { useApp } from "../lib/context";

interface Description {
  readonly paths?: Readonly<
    Record<
      string,
      { patch?: { requestBody?: { content: Record<string, { schema?: { properties?: object } }> } } }
    >
  >;
}

/** The words from which some entries choose, as the description of the control API has them. */
export function useBehaviourChoices(): ReadonlyMap<string, readonly string[]> {
  const { session } = useApp();
  const [choices, setChoices] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  useEffect(() => {
    const take = (described: Description) => {
      const body = described.paths?.["/__sim/behaviour"]?.patch?.requestBody?.content["application/json"];
      const properties = Object.entries(body?.schema?.properties ?? {}) as [string, { enum?: unknown }][];
      const found = properties.flatMap(([key, { enum: words }]) =>
        Array.isArray(words) ? [[key, words.map(String)] as const] : [],
      );
      setChoices(new Map(found));
    };
    session.api.server<Description>("/control.json").then(take, () => {});
  }, [session]);
  return choices;
}

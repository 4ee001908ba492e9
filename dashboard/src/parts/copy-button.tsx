import { useState } from "preact/hooks";
import { useApp } from "../lib/context";
import { copyText } from "../lib/files";
import { Button } from "./button";
import type { IconName } from "./icon";

interface Props {
  /** What is copied; a function where it has to be fetched first. */
  readonly text: string | (() => Promise<string>);
  /** What the button is called, such as `Copy id`. */
  readonly label: string;
  readonly small?: boolean;
  /** Another icon, where two buttons without a text stand side by side. */
  readonly icon?: IconName;
}

export function CopyButton({ text, label, small = false, icon = "copy" }: Props) {
  const { notify } = useApp();
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await copyText(typeof text === "string" ? text : await text());
      setDone(true);
      const what = label.replace(/^Copy /, "");
      // A file keeps its name: bot.mjs.
      notify(`${what.includes(".") ? what : what.replace(/^./, (letter) => letter.toUpperCase())} copied`);
    } catch {
      notify("Copying is blocked by the browser", "bad");
    }
  };
  return (
    <Button
      icon={done ? "check" : icon}
      class={small ? "ghost small icon-only" : "ghost small"}
      label={small ? label : undefined}
      onClick={copy}
      onBlur={() => setDone(false)}
    >
      {small ? null : label}
    </Button>
  );
}

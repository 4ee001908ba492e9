import { useEffect, useState } from "preact/hooks";
import { useApp } from "./context";
import { TABS } from "./route";

/** The elements that keys go to, by their names. */
const FIELDS: Readonly<Record<string, string>> = {
  "/": "[aria-label='Search threads']",
  c: ".composer.customer textarea",
  e: ".composer:is(.employee, .internal) textarea",
};

/** The buttons that keys press with Ctrl or Cmd, as in every program: one key alone undoes nothing. */
const WITH_CTRL: Readonly<Record<string, string>> = {
  z: "button.undo",
  "Shift+z": "button.redo",
  y: "button.redo",
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable]") !== null;

/** Acts on keys pressed outside of fields and dialogs; answers whether the sheet is open, and how to close it. */
export function useShortcuts(): readonly [open: boolean, close: () => void] {
  const { navigate } = useApp();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event;
      const hasCtrl = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented || isTyping(target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const name = `${event.shiftKey ? "Shift+" : ""}${key.toLowerCase()}`;
      const button = document.querySelector<HTMLElement>((hasCtrl && WITH_CTRL[name]) || ":not(*)");
      if (button !== null) {
        button.click();
        return event.preventDefault();
      }
      if (hasCtrl) return;
      const field = document.querySelector<HTMLElement>(FIELDS[key] ?? ":not(*)");
      const tab = TABS[Number(key) - 1];
      if (key === "?") setOpen(true);
      else if (field !== null) field.focus();
      else if (tab !== undefined) navigate({ tab, item: null });
      else if (key === "j" || key === "k") openNeighbour(key === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate]);
  return [open, () => setOpen(false)];
}

/** Opens the thread that stands so many after the one that is open. */
function openNeighbour(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("a.thread")];
  const at = links.findIndex((link) => link.getAttribute("aria-current") === "page");
  links[at === -1 ? 0 : at + by]?.click();
}

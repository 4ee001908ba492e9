import { useId } from "preact/hooks";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** How many lines it shows; without it, a field of one line. */
  readonly rows?: number;
  /** Whether it takes code. */
  readonly mono?: boolean;
  /** How much room it takes. */
  readonly class?: "grow" | "wide";
  readonly inputMode?: "decimal" | "email" | "tel" | "text";
  readonly placeholder?: string;
  readonly list?: string;
}

/** A text field below its label. */
export function Field({ label, rows, mono = false, class: room, list, onText, ...rest }: Props) {
  const id = useId();
  const all = { ...rest, id, class: mono ? "mono" : "", spellcheck: !mono, dir: "auto" as const };
  const write = (event: InputEvent) => onText((event.currentTarget as HTMLInputElement).value);
  return (
    <label class={`field ${room ?? ""}`} for={id}>
      <span>{label}</span>
      {rows === undefined ? (
        <input list={list} autocomplete="off" {...all} onInput={write} />
      ) : (
        <textarea rows={rows} {...all} onInput={write} />
      )}
    </label>
  );
}

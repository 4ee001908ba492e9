interface Props<T> {
  readonly label: string;
  /** The value and text of each segment, and whether it is disabled. */
  readonly choices: readonly (readonly [value: T, text: string, disabled?: boolean])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** Radio buttons side by side. */
export const Segments = <T,>({ label, choices, chosen, onChoose }: Props<T>) => (
  <fieldset class="segments">
    <legend class="visually-hidden">{label}</legend>
    {choices.map(([value, text, disabled = false]) => (
      <label key={text}>
        <input
          type="radio"
          name={label}
          checked={value === chosen}
          disabled={disabled}
          onChange={() => onChoose(value)}
        />
        <span>{text}</span>
      </label>
    ))}
  </fieldset>
);

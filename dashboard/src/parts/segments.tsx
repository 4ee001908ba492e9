interface Props<T> {
  readonly label: string;
  /** A value for each segment, its text, and whether it cannot be chosen. */
  readonly choices: readonly (readonly [value: T, text: string, disabled?: boolean])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** Choices side by side, of which one is chosen. */
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

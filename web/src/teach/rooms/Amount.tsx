// A number to be written, on phones with the keys for numbers.
interface AmountProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

export function Amount({ label, value, onChange }: AmountProps) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        className="input"
        inputMode="decimal"
        value={value}
        onChange={(event) => onChange(event.target.value.trim())}
      />
    </label>
  );
}

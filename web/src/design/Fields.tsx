// What people fill in. Each has a label, may have a hint, and says in words what is wrong.
import "./controls.css";
import { useState, type ReactNode } from "react";
import {
  Checkbox,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  NumberField,
  Popover,
  Radio,
  RadioGroup,
  Slider,
  SliderThumb,
  SliderTrack,
  Text,
  TextArea,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
} from "react-aria-components";
import { Icon } from "./Icon.tsx";

interface Common {
  label: string;
  hint?: string;
  required?: boolean;
}

export interface TextProps extends Common {
  value: string;
  onChange: (text: string) => void;
  /** Lines of a text area; 1, the default, is a single-line field. */
  lines?: number;
  wrong?: string;
  placeholder?: string;
  max?: number;
  type?: "text" | "search";
}

export function TextBox({ label, hint, required, value, onChange, lines = 1, wrong, placeholder, max, type }: TextProps) {
  return (
    <TextField
      className="field"
      value={value}
      onChange={onChange}
      isInvalid={!!wrong}
      isRequired={!!required}
      validationBehavior="aria"
      {...(max ? { maxLength: max } : {})}
      type={type ?? "text"}
    >
      <Label>{label}</Label>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      {lines > 1 ? (
        <TextArea className="input" rows={lines} placeholder={placeholder} />
      ) : (
        <Input className="input" placeholder={placeholder} />
      )}
      <FieldError className="wrong">{wrong}</FieldError>
    </TextField>
  );
}

export interface Suggestion {
  id: string;
  name: string;
  note?: string;
  /** Other names, and names of what it is part of: they find it, and are not shown. */
  also?: string[];
  within?: string[];
  /** Offered before anything is written. */
  common?: boolean;
}

export interface ComboProps extends Common {
  suggestions: Suggestion[];
  value: string;
  onChange: (text: string) => void;
  /** Called when a suggestion is chosen, or Enter is pressed on other words. */
  onChosen: (text: string) => void;
  autoFocus?: boolean;
  placeholder?: string;
  /** Whether the list opens above the field. */
  above?: boolean;
  /** Whether the label is only heard: the placeholder says the same. */
  quiet?: boolean;
}

/** A text field with suggestions; anything else may be written too. */
export function Combo({ label, hint, suggestions, value, onChange, onChosen, autoFocus, placeholder, above, quiet }: ComboProps) {
  const common = suggestions.filter((one) => one.common);
  const offered = value.trim() || !common.length ? matching(suggestions, value) : common;
  const near = offered.slice(0, 60);
  return (
    <ComboBox
      className="field"
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={(key) => {
        const chosen = suggestions.find((one) => one.id === key);
        if (chosen) onChosen(chosen.name);
      }}
      items={near}
      allowsCustomValue
      menuTrigger={common.length ? "focus" : "input"}
      autoFocus={!!autoFocus}
    >
      <Label {...(quiet ? { className: "unseen" } : {})}>{label}</Label>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <Input className="input" placeholder={placeholder} autoComplete="off" />
      <Popover className="popover" offset={6} placement={above ? "top start" : "bottom start"}>
        <ListBox className="combo-list" items={near}>
          {(item: Suggestion) => (
            <ListBoxItem className="option" textValue={item.name}>
              <Text slot="label">{item.name}</Text>
              {item.note && (
                <Text slot="description" className="soft small">
                  {item.note}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** The suggestions that hold every word written: by their name first, then by another name, then as a part. */
export function matching(suggestions: Suggestion[], written: string): Suggestion[] {
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rank = (one: Suggestion) => {
    if ([one.name, ...(one.also ?? [])].some((name) => name.toLowerCase() === words.join(" "))) return 0;
    if (one.name.toLowerCase().startsWith(words.join(" "))) return 1;
    if (holds(`${one.name} ${one.note ?? ""}`)) return 2;
    return one.also?.some(holds) ? 3 : one.within?.some(holds) ? 4 : 5;
  };
  return suggestions
    .map((one) => ({ one, rank: rank(one) }))
    .filter((found) => found.rank < 5)
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

export function Tick({
  children,
  checked,
  onChange,
  boxed,
}: {
  children: ReactNode;
  checked: boolean;
  onChange: (now: boolean) => void;
  boxed?: boolean;
}) {
  return (
    <Checkbox className={`choice ${boxed ? "boxed" : ""}`} isSelected={checked} onChange={onChange}>
      <span className="mark">
        <Icon name="tick" size={14} />
      </span>
      <span>{children}</span>
    </Checkbox>
  );
}

export function OneOf<T extends string>({
  label,
  hint,
  options,
  value,
  onChange,
}: Common & { options: { id: T; text: ReactNode }[]; value: T | null; onChange: (id: T) => void }) {
  return (
    <RadioGroup className="field" value={value} onChange={(id) => onChange(id as T)}>
      <Label>{label}</Label>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      {options.map(({ id, text }) => (
        <Radio key={id} value={id} className="choice one boxed">
          <span className="mark">
            <Icon name="tick" size={14} />
          </span>
          <span>{text}</span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

/** A row of pills of which one is on: filters and modes. */
export function Pills<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: { id: T; text: string }[];
  value: T;
  onChange: (id: T) => void;
}) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className="pills"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => onChange([...keys][0] as T)}
    >
      {options.map(({ id, text }) => (
        <ToggleButton key={id} id={id} className="pill">
          {text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** A choice from a list, by the browser's own control. */
export function Choose<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: { id: T; text: string }[];
  value: T;
  onChange: (id: T) => void;
}) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map(({ id, text }) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A share in per cent, by slider, arrows or number. `null` until one is given. */
export function Percent({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | null;
  onChange: (percent: number) => void;
}) {
  const [writing, setWriting] = useState(false);
  return (
    <div className="slider" data-writing={writing}>
      <span aria-hidden>{label}</span>
      <NumberField
        aria-label={`${label}: how likely, in per cent`}
        value={value ?? Number.NaN}
        minValue={0}
        maxValue={100}
        step={1}
        onChange={(now) => Number.isFinite(now) && onChange(now)}
        onFocusChange={setWriting}
        formatOptions={{ maximumFractionDigits: 0 }}
      >
        <span className="row" style={{ flexWrap: "nowrap", gap: "0.3rem" }}>
          <Input className="input percent" placeholder="–" />
          <span aria-hidden>%</span>
        </span>
      </NumberField>
      <Slider
        aria-label={`${label}: how likely`}
        value={value ?? 0}
        minValue={0}
        maxValue={100}
        step={5}
        onChange={(now) => onChange(now as number)}
        style={{ gridColumn: "1 / -1" }}
      >
        <SliderTrack className="rail">
          {({ state }) => (
            <>
              <span className="filled" style={{ width: `${state.getThumbPercent(0) * 100}%` }} />
              <SliderThumb className="thumb" />
            </>
          )}
        </SliderTrack>
      </Slider>
    </div>
  );
}


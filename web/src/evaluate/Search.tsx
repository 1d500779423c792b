import { useEffect, useRef, useState } from "react";
import { TextBox } from "#/design/Fields.tsx";

/** A field to search by; what is written counts when the writer pauses. */
export function Search({
  label,
  value,
  onChange,
  placeholder,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
}) {
  const [text, setText] = useState(value);
  const given = useRef(value);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    if (value !== given.current) setText((given.current = value));
  }, [value]);
  useEffect(() => {
    if (text === given.current) return;
    const later = window.setTimeout(() => tell.current((given.current = text.trim())), 250);
    return () => window.clearTimeout(later);
  }, [text]);
  return <TextBox label={label} type="search" value={text} onChange={setText} {...(placeholder ? { placeholder } : {})} />;
}

// A form made from a reply's JSON schema: for protocols, and acts, that have no form of their own.
import "./plain.css";
import { useMemo, useRef, useState } from "react";
import type { Move } from "#/api/types-of.ts";
import { Button } from "#/design/Button.tsx";
import { Choose, OneOf, TextBox, Tick } from "#/design/Fields.tsx";
import { visible } from "#/design/text.ts";
import { useKept } from "#/practise/sitting/kept.ts";
import { emptyOf, fieldOf, join, readOf, type Field, type Json, type Schema } from "./schema.ts";

export function PlainForm({
  draft,
  schema,
  onMove,
  busy,
}: {
  /** The key under which the contents are kept while they are written. */
  draft: string;
  schema: Schema;
  onMove: (move: Move) => void;
  busy: boolean;
}) {
  const form = useMemo(() => fieldOf(schema), [schema]);
  const [held, setHeld] = useKept<Json>(draft, emptyOf(form));
  const [asked, setAsked] = useState(false);
  const body = useRef<HTMLFormElement>(null);
  const { value, wrong } = readOf(form, held);
  const count = Object.keys(wrong).length;
  const give = () => {
    setAsked(true);
    if (count) window.setTimeout(() => body.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    else if (!busy) onMove((value ?? {}) as Move);
  };
  return (
    <form
      className="plain-form"
      ref={body}
      aria-label="Your reply"
      onSubmit={(event) => {
        event.preventDefault();
        give();
      }}
    >
      <Drawn one={form} held={held} onChange={setHeld} wrong={asked ? wrong : {}} path="" />
      <div className="row">
        <Button type="submit" look="main" isDisabled={busy}>
          Send
        </Button>
        <p role="status" className="wrong">
          {asked && count > 0 ? (count === 1 ? "One field is not right yet." : `${count} fields are not right yet.`) : ""}
        </p>
      </div>
    </form>
  );
}

interface DrawnProps {
  one: Field;
  held: Json | undefined;
  onChange: (held: Json) => void;
  wrong: Record<string, string>;
  path: string;
}

function Drawn({ one, held, onChange, wrong, path }: DrawnProps) {
  const about = {
    label: visible(one.label || "Reply"),
    ...(one.hint ? { hint: visible(one.hint) } : {}),
    required: one.required,
  };
  const mistake = wrong[path] ? { wrong: wrong[path] } : {};
  switch (one.kind) {
    case "text":
      return <TextBox {...about} {...mistake} lines={one.long ? 3 : 1} {...(one.max ? { max: one.max } : {})} value={String(held ?? "")} onChange={onChange} />;
    case "number":
      return <TextBox {...about} {...mistake} value={String(held ?? "")} onChange={onChange} />;
    case "yes":
      return (
        <Tick checked={held === true} onChange={onChange}>
          {about.label}
          {about.hint && <span className="soft small hint">{about.hint}</span>}
        </Tick>
      );
    case "choice":
      if (one.required && one.options.length <= 6)
        return (
          <div>
            <OneOf {...about} options={one.options.map((id) => ({ id, text: visible(id) }))} value={String(held ?? "") || null} onChange={onChange} />
            {wrong[path] && <p className="wrong">{wrong[path]}</p>}
          </div>
        );
      return (
        <Choose
          label={about.label}
          options={[{ id: "", text: "none" }, ...one.options.map((id) => ({ id, text: visible(id) }))]}
          value={String(held ?? "")}
          onChange={onChange}
        />
      );
    case "list":
      return (
        <TextBox
          {...about}
          {...mistake}
          hint={[about.hint, "One a line."].filter(Boolean).join(" ")}
          lines={3}
          value={((held ?? []) as string[]).join("\n")}
          onChange={(lines) => onChange(lines.split("\n"))}
        />
      );
    case "json":
      return <TextBox {...about} {...mistake} hint={[about.hint, "As JSON."].filter(Boolean).join(" ")} lines={4} value={String(held ?? "")} onChange={onChange} />;
    case "group":
      return path ? (
        <fieldset className="group">
          <legend className="label">{about.label}</legend>
          {about.hint && <p className="soft small">{about.hint}</p>}
          <Fields fields={one.fields} held={held} onChange={onChange} wrong={wrong} path={path} />
        </fieldset>
      ) : (
        <Fields fields={one.fields} held={held} onChange={onChange} wrong={wrong} path={path} />
      );
    case "variants": {
      const now = (held ?? {}) as Record<string, Json>;
      const chosen = one.variants.find((each) => each.value === now[one.by]);
      return (
        <div className="stack">
          <OneOf
            label={one.label ? about.label : "What do you do?"}
            options={one.variants.map((each) => ({ id: each.value, text: visible(each.label) }))}
            value={chosen?.value ?? null}
            onChange={(value) => onChange({ ...now, [one.by]: value })}
          />
          {wrong[path] && <p className="wrong">{wrong[path]}</p>}
          {chosen?.hint && <p className="soft small">{visible(chosen.hint)}</p>}
          {chosen && <Fields key={chosen.value} fields={chosen.fields} held={held} onChange={onChange} wrong={wrong} path={path} />}
        </div>
      );
    }
  }
}

/** The fields that are needed, and those that may be left out folded away. */
function Fields({ fields, held, onChange, wrong, path }: Omit<DrawnProps, "one"> & { fields: Field[] }) {
  const now = (held ?? {}) as Record<string, Json>;
  const drawn = (each: Field) => (
    <Drawn
      key={each.name}
      one={each}
      held={now[each.name] ?? emptyOf(each)}
      onChange={(value) => onChange({ ...now, [each.name]: value })}
      wrong={wrong}
      path={join(path, each.name)}
    />
  );
  const needed = fields.filter((each) => each.required);
  const others = fields.filter((each) => !each.required);
  const folded = needed.length > 0 && others.length > 2;
  return (
    <div className="stack">
      {needed.map(drawn)}
      {folded ? (
        <details>
          <summary>More, if you like ({others.length})</summary>
          <div className="stack">{others.map(drawn)}</div>
        </details>
      ) : (
        others.map(drawn)
      )}
    </div>
  );
}

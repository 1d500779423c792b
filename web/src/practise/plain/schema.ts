// A reply's JSON schema as fields to fill in. Pure functions; what it cannot draw becomes a field for JSON.
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Schema = { [name: string]: unknown };

export interface Base {
  name: string;
  label: string;
  hint: string;
  required: boolean;
}
export type Field = Base &
  (
    | { kind: "text"; max?: number; long: boolean }
    | { kind: "number"; whole: boolean; least?: number; most?: number }
    | { kind: "yes" }
    | { kind: "choice"; options: string[] }
    | { kind: "list"; most?: number }
    | { kind: "group"; fields: Field[] }
    | { kind: "variants"; by: string; variants: { value: string; label: string; hint: string; fields: Field[] }[] }
    | { kind: "json" }
  );

/** The fields of a whole reply. */
export function fieldOf(schema: Schema): Field {
  return field("", schema, schema, true, 0);
}

function field(name: string, given: Schema, root: Schema, required: boolean, depth: number): Field {
  const { schema, nullable } = resolved(given, root);
  const hint = depth ? text(given.description) || text(schema.description) : "";
  const base: Base = { name, label: words(name), hint: hint.split("\n\n")[0]!.replace(/`/g, "").replace(/\n/g, " "), required: required && !nullable };
  const options = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (depth > 5) return { ...base, kind: "json" };
  if (Array.isArray(options)) return variants(base, options, root, depth);
  if (Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === "string"))
    return { ...base, kind: "choice", options: schema.enum };
  if (typeof schema.const === "string") return { ...base, kind: "choice", options: [schema.const] };
  switch (schema.type) {
    case "string": {
      const max = schema.maxLength as number | undefined;
      return { ...base, kind: "text", long: max === undefined || max > 120, ...(max === undefined ? {} : { max }) };
    }
    case "integer":
    case "number":
      return {
        ...base,
        kind: "number",
        whole: schema.type === "integer",
        ...(typeof schema.minimum === "number" ? { least: schema.minimum } : {}),
        ...(typeof schema.maximum === "number" ? { most: schema.maximum } : {}),
      };
    case "boolean":
      return { ...base, kind: "yes" };
    case "array": {
      const items = resolved((schema.items ?? {}) as Schema, root).schema;
      if (items.type !== "string" || items.enum) return { ...base, kind: "json" };
      return { ...base, kind: "list", ...(typeof schema.maxItems === "number" ? { most: schema.maxItems } : {}) };
    }
    case "object":
      return schema.properties ? { ...base, kind: "group", fields: properties(schema, root, depth) } : { ...base, kind: "json" };
  }
  return { ...base, kind: "json" };
}

function properties(schema: Schema, root: Schema, depth: number, without = ""): Field[] {
  const needed = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries(schema.properties as Record<string, Schema>)
    .filter(([name]) => name !== without)
    .map(([name, one]) => field(name, one, root, needed.has(name), depth + 1));
}

/** Objects that a field with a `const` tells apart: a choice of act, then the fields of the act. */
function variants(base: Base, options: Schema[], root: Schema, depth: number): Field {
  const all = options.map((one) => resolved(one, root).schema);
  const first = (all[0]?.properties ?? {}) as Record<string, Schema>;
  const by = Object.keys(first).find((name) => all.every((one) => typeof constant(one, name) === "string"));
  if (!by) return { ...base, kind: "json" };
  return {
    ...base,
    kind: "variants",
    by,
    variants: all.map((one) => {
      const value = constant(one, by) as string;
      return { value, label: words(value), hint: text(one.description).split("\n\n")[0]!, fields: properties(one, root, depth, by) };
    }),
  };
}

function constant(schema: Schema, name: string): unknown {
  const found = (schema.properties as Record<string, Schema> | undefined)?.[name];
  return found?.const ?? (Array.isArray(found?.enum) && found.enum.length === 1 ? found.enum[0] : undefined);
}

/** A schema with its reference followed, and whether it may be left `null`. */
function resolved(given: Schema, root: Schema): { schema: Schema; nullable: boolean } {
  let schema = given;
  for (let k = 0; k < 5 && typeof schema.$ref === "string"; k++) {
    const name = schema.$ref.replace("#/$defs/", "");
    schema = { ...((root.$defs as Record<string, Schema> | undefined)?.[name] ?? {}) };
  }
  const any = schema.anyOf as Schema[] | undefined;
  const rest = any?.filter((one) => one.type !== "null");
  if (any && rest!.length === 1 && rest!.length < any.length) return { schema: resolved(rest![0]!, root).schema, nullable: true };
  return { schema, nullable: false };
}

/** What a form holds for a field before anything is written. */
export function emptyOf(one: Field): Json {
  switch (one.kind) {
    case "yes":
      return false;
    case "list":
      return [];
    case "group":
      return Object.fromEntries(one.fields.map((each) => [each.name, emptyOf(each)]));
    case "variants":
      return { [one.by]: one.variants.length === 1 ? one.variants[0]!.value : "" };
  }
  return "";
}

export interface Read {
  /** The reply's part; `undefined` where the field is left out. */
  value: Json | undefined;
  /** What is wrong, by field path. */
  wrong: Record<string, string>;
}

/** The reply that a form's contents make, and what is still wrong with it, in words. */
export function readOf(one: Field, held: Json | undefined, path = ""): Read {
  const fine = (value: Json | undefined): Read => ({ value, wrong: {} });
  const wrong = (what: string): Read => ({ value: undefined, wrong: { [path]: what } });
  const missing = () => (one.required ? wrong("This is needed.") : fine(undefined));
  switch (one.kind) {
    case "text":
    case "choice":
      return text(held).trim() ? fine(one.kind === "text" ? text(held).trim() : text(held)) : missing();
    case "number": {
      const written = text(held).trim().replace(",", ".");
      if (!written) return missing();
      const number = Number(written);
      if (!Number.isFinite(number)) return wrong("Write a number.");
      if (one.whole && !Number.isInteger(number)) return wrong("Write a whole number.");
      if (one.least !== undefined && number < one.least) return wrong(`At least ${one.least}.`);
      if (one.most !== undefined && number > one.most) return wrong(`At most ${one.most}.`);
      return fine(number);
    }
    case "yes":
      return fine(held === true);
    case "list": {
      const lines = ((held ?? []) as string[]).map((line) => line.trim()).filter(Boolean);
      if (one.most !== undefined && lines.length > one.most) return wrong(`At most ${one.most} lines.`);
      return lines.length || !one.required ? fine(lines) : wrong("Write at least one line.");
    }
    case "json": {
      if (!text(held).trim()) return missing();
      try {
        return fine(JSON.parse(text(held)) as Json);
      } catch {
        return wrong("This is not JSON yet: look for a missing quote, comma or bracket.");
      }
    }
    case "group":
      return together(one.fields, held, path);
    case "variants": {
      const now = (held ?? {}) as Record<string, Json>;
      const chosen = one.variants.find((each) => each.value === now[one.by]);
      if (!chosen) return one.required ? wrong("Choose one.") : fine(undefined);
      const read = together(chosen.fields, held, path);
      return { value: { [one.by]: chosen.value, ...(read.value as Record<string, Json>) }, wrong: read.wrong };
    }
  }
}

function together(fields: Field[], held: Json | undefined, path: string): Read {
  const value: Record<string, Json> = {};
  let wrong: Record<string, string> = {};
  for (const each of fields) {
    const read = readOf(each, ((held ?? {}) as Record<string, Json>)[each.name], join(path, each.name));
    if (read.value !== undefined) value[each.name] = read.value;
    wrong = { ...wrong, ...read.wrong };
  }
  return { value, wrong };
}

export const join = (path: string, name: string) => (path ? `${path}.${name}` : name);
const text = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");

/** A field's or an act's name in words: "is_read_back" becomes "Is read back". */
export function words(name: string): string {
  const plain = name.replaceAll("_", " ").trim();
  const lower = /^[A-Z ]+$/.test(plain) ? plain.toLowerCase() : plain;
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

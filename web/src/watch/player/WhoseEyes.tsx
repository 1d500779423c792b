// The choice of the eyes one looks through.
import { Choose, Pills } from "#/design/Fields.tsx";
import { eyes } from "./eyes.ts";

/** More views than this are a list, and not a row. */
const MOST_PILLS = 6;

export function WhoseEyes({ views, value, onChange }: { views: string[]; value: string; onChange: (view: string) => void }) {
  const Chosen = views.length > MOST_PILLS ? Choose : Pills;
  return <Chosen label="Whose eyes" value={value} onChange={onChange} options={views.map((id) => ({ id, text: eyes(id) }))} />;
}

import { number } from "../words.ts";

/** How many of a run's episodes have ended. */
export function Progress({ done, planned }: { done: number; planned: number }) {
  const words = `${number(done)} of ${number(planned)}`;
  return (
    <div className="progress">
      <span className="small">{words}</span>
      <span className="track" role="progressbar" aria-label="Episodes ended" aria-valuenow={done} aria-valuemin={0} aria-valuemax={planned} aria-valuetext={words}>
        <span style={{ width: `${planned ? (100 * done) / planned : 0}%` }} />
      </span>
    </div>
  );
}

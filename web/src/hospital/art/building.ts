// All that never hides anybody: garden, floors, shadows, light, walls and lettering, from the ground upwards.
import type { Theme } from "./contract.ts";
import { type Rect, floor, threshold } from "./floors.ts";
import type { Kit } from "./furniture/kit.ts";
import { type Grid, HIGH, THICK } from "./grid.ts";
import { hangings } from "./hangings.ts";
import { nightfall } from "./lamplight.ts";
import { garden } from "./outside.ts";
import { penFor } from "./pen.ts";
import { title } from "./titles.ts";
import { highWalls, lowWalls, panes, sunlight, wallShadows } from "./walls.ts";

interface Size {
  width: number;
  height: number;
}

export function building(c: CanvasRenderingContext2D, theme: Theme, grid: Grid, kits: Kit[], size: Size): void {
  const outside = penFor(theme, "outside")(c);
  const p = penFor(theme, "building")(c);
  const inside = penFor(theme, "furniture")(c);
  const walls = grid.walls();
  c.save();
  garden(outside, grid, size.width, size.height);
  c.fillStyle = p.dark ? "rgb(4 8 24 / 0.3)" : "rgb(70 78 96 / 0.16)";
  for (const { rect } of kits) c.fillRect(rect.x + 4, rect.y + 6, rect.w + 5, rect.h + 4);
  for (const { room } of kits) floor(p, room);
  for (const wall of walls) if (wall.kind === "door") threshold(p, grid, wall);
  for (const kit of kits)
    within(c, kit.rect, () => {
      sunlight(p, grid, kit.room);
      for (const draw of kit.flat) draw(p);
    });
  wallShadows(p, walls);
  highWalls(p, walls);
  lowWalls(p, walls);
  if (p.dark)
    nightfall(
      c,
      kits.map((kit) => kit.rect),
      kits.map((kit) => withWalls(grid, kit)),
      size,
    );
  panes(inside, grid);
  for (const { room } of kits) hangings(inside, grid, room);
  const pieces = kits.flatMap((kit) => kit.pieces);
  for (const { room } of kits) title(p, grid, room, pieces);
  for (const home of grid.plan.rooms) if (home.kind === "home") title(p, grid, home, []);
  c.restore();
}

function within(c: CanvasRenderingContext2D, rect: Rect, draw: () => void): void {
  c.save();
  c.beginPath();
  c.rect(rect.x, rect.y, rect.w, rect.h);
  c.clip();
  draw();
  c.restore();
}

/** The frame of a room with half of each wall, and all of a high one. */
function withWalls(grid: Grid, { rect, room }: Kit): Rect {
  const half = THICK / 2;
  const rise = grid.highRuns(room).length ? HIGH - 0.5 : 0;
  return { x: rect.x - half - 1, y: rect.y - half - 1 - rise, w: rect.w + THICK + 2, h: rect.h + THICK + 2 + rise };
}

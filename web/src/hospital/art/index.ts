// The art of the hospital: a plan and a theme make a picture.
import { building } from "./building.ts";
import type { MakeArt } from "./contract.ts";
import { facingOf } from "./facing.ts";
import { rectOf } from "./floors.ts";
import { furnish } from "./furniture/furnish.ts";
import { Kit } from "./furniture/kit.ts";
import { Grid, HIGH, LOW, MARGIN, THICK, TILE, spot } from "./grid.ts";
import { penFor } from "./pen.ts";
import { PERSON_BOX, person } from "./people/person.ts";

export const makeArt: MakeArt = (plan, theme) => {
  const grid = new Grid(plan);
  const [columns, rows] = plan.size;
  const size = {
    width: MARGIN.left + columns * TILE.w + MARGIN.right,
    height: MARGIN.top + rows * TILE.h + MARGIN.bottom,
    top: MARGIN.top,
  };
  const kits = plan.rooms
    .filter((room) => room.kind !== "home")
    .map((room) => {
      const kit = new Kit(theme, grid, room, (slot) => facingOf(room, slot));
      furnish(kit);
      return kit;
    });
  const pen = penFor(theme, "people");
  return {
    theme,
    size,
    spot,
    frame: (room) => {
      const { x, y, w, h } = rectOf(room);
      const rise = grid.highRuns(room).length ? HIGH + THICK : LOW + THICK;
      return { x: x - THICK / 2, y: y - rise, width: w + THICK, height: h + rise + THICK / 2 };
    },
    building: (context) => building(context, theme, grid, kits, size),
    pieces: kits.flatMap((kit) => kit.pieces).sort((a, b) => a.depth - b.depth),
    facing: facingOf,
    person: (context, looks, bearing) => person(pen(context), looks, bearing),
    personBox: PERSON_BOX,
  };
};

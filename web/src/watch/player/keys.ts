// The keys of the player.
import type { Key } from "#/design/Keys.tsx";
import type { HospitalPlan } from "#/hospital/art/contract.ts";
import type { Aim } from "#/hospital/picture.ts";
import { KINDS, MARKS } from "../log/marks.ts";
import type { Moves } from "./Controls.tsx";

export interface CameraMoves {
  zoom: (by: number) => void;
  aim: (aim: Aim) => void;
}

export function keysOf(moves: Moves, camera: CameraMoves, plan: HospitalPlan): Key[] {
  const rooms = plan.rooms.filter(({ kind }) => kind !== "home").slice(0, 9);
  return [
    { key: " ", shown: "Space", does: "Play or pause", press: moves.play },
    { key: "ArrowRight", shown: "Right arrow", does: "The next line", press: () => moves.step(1) },
    { key: "ArrowLeft", shown: "Left arrow", does: "The line before", press: () => moves.step(-1) },
    { key: "Shift+ArrowRight", shown: "Shift + right", does: "The next exchange", press: () => moves.exchange(1) },
    { key: "Shift+ArrowLeft", shown: "Shift + left", does: "The exchange before", press: () => moves.exchange(-1) },
    { key: "m", shown: "M", does: "The next mark", press: () => moves.mark(1) },
    { key: "Shift+M", shown: "Shift + M", does: "The mark before", press: () => moves.mark(-1) },
    ...KINDS.flatMap((mark) => {
      const { key, word } = MARKS[mark];
      const name = key.toUpperCase();
      return [
        { key, shown: name, does: `Next: ${word.toLowerCase()}`, press: () => moves.mark(1, mark) },
        { key: `Shift+${name}`, shown: `Shift + ${name}`, does: `Before: ${word.toLowerCase()}`, press: () => moves.mark(-1, mark) },
      ];
    }),
    { key: "f", shown: "F", does: "Camera: follow who acts", press: () => camera.aim("follow") },
    { key: "0", shown: "0", does: "Camera: the whole floor", press: () => camera.aim("whole") },
    ...rooms.map(({ name, title }, k) => ({ key: `${k + 1}`, shown: `${k + 1}`, does: `Camera: ${title}`, press: () => camera.aim(`room:${name}`) })),
    { key: "+", shown: "+", does: "Camera: larger", press: () => camera.zoom(1.3) },
    { key: "-", shown: "-", does: "Camera: smaller", press: () => camera.zoom(1 / 1.3) },
  ];
}

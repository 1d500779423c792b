// Imaging with its ring and console, and the laboratory.
import { lit, mix, shaded } from "../colour.ts";
import { TILE, blocks, left, top } from "../grid.ts";
import { type Pen, box, edge, glow, oval, round, stroke } from "../pen.ts";
import { bed } from "./beds.ts";
import { stool } from "./chairs.ts";
import { cupboard, plant } from "./common.ts";
import type { Kit } from "./kit.ts";
import { analyser, bottle, keyboard, light, microscope, mug, paper, rack, screen } from "./things.ts";

export function imaging(kit: Kit): void {
  const { rect } = kit;
  const tables = kit.slots("table");
  for (const slot of tables) {
    kit.lay((p) => {
      const hex = mix(kit.accent, "#eef3fa", 0.72);
      round(p, slot.x - 62, slot.y - 66, 124, 118, 14, hex, false);
      round(p, slot.x - 58, slot.y - 62, 116, 110, 11, mix(kit.accent, "#eef3fa", 0.84), false);
    });
    gantry(kit, slot.x, slot.y);
    bed(kit, slot.x, slot.y, kit.facing(slot.name), "scanner");
  }
  const under = new Set(tables.flatMap(({ tile: [x, y] }) => [`${x},${y - 1}`, `${x + 1},${y - 1}`]));
  for (const [x, y] of kit.room.blocked) {
    if (under.has(`${x},${y}`)) continue;
    cupboard(kit, left(x) + 14, top(y) + 10, 25, 20, 22, "#e6ebf2", 1, (p) =>
      screen(p, left(x) + 26, top(y) + 3 - 8, 20, 14, "scan"),
    );
  }
  for (const name of ["console", "describer"])
    for (const slot of kit.slots(name)) console_(kit, slot.x, slot.y, name === "describer");
  cupboard(kit, rect.x + 7, rect.y + 6, 40, 13, 30, "#dfe7f1", 2);
  aprons(kit, rect.x + rect.w - 92, rect.y + 6);
  plant(kit, rect.x + rect.w - 18, rect.y + rect.h - 34);
  const [, y0, x1] = kit.room.area;
  if (kit.free(x1, y0 + 3, 1, 3)) cubicle(kit, left(x1) - 8, top(y0 + 3) + 6);
}

/** A corner to change in, with a seat and a curtain drawn back. */
function cubicle(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 48, d: 26, h: 60, shadow: "none" }, (p) => {
    round(p, x, y - 52, 46, 54, 3, "#e6edf6");
    for (const dx of [15, 31]) stroke(p, "#d3deec", 1.2, [x + dx, y - 48], [x + dx, y - 2]);
    stroke(p, "#9fb0c8", 1.6, [x + 18, y - 40], [x + 28, y - 40]);
    round(p, x + 19, y - 39, 8, 17, 2.4, "#c4dfe6");
    box(p, x + 6, y + 1, 34, 13, 13, "#cfdcec", { front: "#b9c9dd" });
    stroke(p, "#9fb0c8", 2, [x, y - 54], [x, y - 32], [x, y - 54], [x + 46, y - 54], [x + 46, y - 30]);
    round(p, x - 2, y - 53, 9, 66, 4, "#9db9dd");
    for (const dx of [1, 3.6]) stroke(p, shaded("#9db9dd", 0.14), 1, [x + dx, y - 49], [x + dx, y + 9]);
  });
}

/** The ring of the scanner, its opening towards the table. */
function gantry(kit: Kit, x: number, y: number): void {
  const [w, h, foot] = [88, 70, y - 36];
  kit.piece({ x: x - w / 2, y: foot - 22, w, d: 22, h, depth: foot }, (p) => {
    box(p, x - w / 2, foot - 22, w, 22, h, "#f7f8fb", { r: 14, front: "#f2f4f9" });
    const cy = foot - h / 2 - 1;
    oval(p, x, cy, 31, 30, "#e3e8f1");
    const g = p.c.createRadialGradient(x - 4, cy - 6, 4, x, cy, 25);
    g.addColorStop(0, p.tone("#5a6684"));
    g.addColorStop(1, p.tone("#93a2c0"));
    p.c.beginPath();
    p.c.ellipse(x, cy, 24, 23.5, 0, 0, Math.PI * 2);
    p.c.fillStyle = g;
    p.c.fill();
    edge(p, "#7c89a8");
    p.c.beginPath();
    p.c.ellipse(x, cy, 27.5, 26.8, 0, 0, Math.PI * 2);
    p.c.lineWidth = 2.2;
    p.c.strokeStyle = p.dark ? "#9fd8ff" : mix(kit.accent, "#ffffff", 0.25);
    p.c.stroke();
    if (p.dark) glow(p, x, cy, 50, 44, "#8fcaff", 0.28);
    for (const dx of [-37, 31]) {
      round(p, x + dx, cy - 6, 6.5, 11, 2, "#dfe5ee");
      light(p, "#7fc6a4", 1.6, [x + dx + 3.2, cy - 3], [x + dx + 3.2, cy - 2.6]);
    }
    round(p, x - 11, foot - h + 3, 22, 5, 2, "#3c4963");
    light(p, "#8fe0d6", 1, [x - 8, foot - h + 5.6], [x + 3, foot - h + 5.6]);
  });
}

/** A console behind lead glass; the one of who reads pictures has a light box. */
function console_(kit: Kit, x: number, y: number, reads: boolean): void {
  const [l, t, w, d, h] = [x - 20, y - 29, 40, 13, 18];
  kit.piece({ x: l - 2, y: t - 3, w: w + 4, d: d + 3, h: h + 26 }, (p) => {
    box(p, l, t, w, d, h, "#e9edf4", { r: 3, front: "#d9e1ec" });
    round(p, l + 4, t + d - h + 4, w - 8, h - 8, 1.6, "#cbd6e5");
    const lift = t - h;
    p.c.fillStyle = p.dark ? "rgb(140 190 240 / 0.2)" : "rgb(150 190 225 / 0.34)";
    p.c.fillRect(l, lift - 21, w, 21);
    stroke(p, "#9fb0c8", 2, [l, lift], [l, lift - 21], [l + w, lift - 21], [l + w, lift]);
    screen(p, x - (reads ? 0 : 9), lift + 8, reads ? 30 : 17, reads ? 20 : 13, "scan");
    if (!reads) screen(p, x + 10, lift + 8, 17, 13, "text");
    keyboard(p, x, lift + 10.4);
  });
}

/** Lead aprons on a rail at the wall. */
function aprons(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 40, d: 6, h: 46 }, (p) => {
    stroke(p, "#9aa8bd", 2, [x, y - 40], [x + 40, y - 40]);
    for (const dx of [0, 40]) stroke(p, "#9aa8bd", 2, [x + dx, y - 40], [x + dx, y + 4]);
    ["#7f96bd", "#a4b5d2", "#8a86b8"].forEach((hex, n) => {
      round(p, x + 3 + n * 12, y - 39, 11, 28, 4, hex);
      stroke(p, lit(hex, 0.3), 1, [x + 8.5 + n * 12, y - 36], [x + 8.5 + n * 12, y - 14]);
    });
  });
}

export function laboratory(kit: Kit): void {
  const { rect } = kit;
  for (const [bx, by, columns, rows] of blocks(kit.room))
    island(kit, left(bx) + 3, top(by) + 4, columns * TILE.w - 6, rows * TILE.h - 6);
  wallBench(kit, rect.x + 50, rect.y + 5, Math.max(60, rect.w - 62));
  cupboard(kit, rect.x + 7, rect.y + 6, 36, 17, 50, "#e9edf4", 1);
  const [x0, y0] = kit.room.area;
  if (kit.free(x0, y0 + 2, 1, 3)) island(kit, rect.x + 7, top(y0 + 2) + 4, 24, 3 * TILE.h - 6);
  if (kit.free(x0 + 1, y0 + 1, 1, 1)) stool(kit, left(x0 + 1) + 14, top(y0 + 1) + 16, "#8d86c2");
  for (const slot of kit.slots("hatch")) hatch(kit, slot.x + 20, slot.y - 14);
  plant(kit, rect.x + rect.w - 18, rect.y + rect.h - 34, 0.95);
}

/** A bench that stands free, in parts of one tile each, so that depth sorts well. */
function island(kit: Kit, x: number, y: number, w: number, d: number): void {
  const upright = d > w;
  const parts = Math.max(1, Math.round((upright ? d : w) / (upright ? TILE.h : TILE.w)));
  const [pw, pd] = upright ? [w, d / parts] : [w / parts, d];
  for (let n = 0; n < parts; n++) {
    const [px, py] = upright ? [x, y + n * pd] : [x + n * pw, y];
    kit.piece(
      { x: px, y: py, w: pw, d: pd, h: 20 + 24, shadow: n === parts - 1 || !upright ? "block" : "none" },
      (p) => {
        box(p, px, py, pw, pd + (upright && n < parts - 1 ? 1 : 0), 19, "#f4f4fa", {
          r: n === 0 || n === parts - 1 ? 3 : 0,
          front: "#dcdaec",
        });
        bench(p, px, py - 19, pw, pd, n);
      },
    );
  }
}

/** What lies on a part of a bench: `y` is the height of its top. */
function bench(p: Pen, x: number, y: number, w: number, d: number, n: number): void {
  if (w < 30) {
    if (n % 3 === 0) analyser(p, x + 3, y + 8, w - 6, 18, "#8fc0a6");
    else if (n % 3 === 1) microscope(p, x + w / 2, y + d * 0.6);
    else
      for (const [dx, hex] of [
        [-5, "#d98a7a"],
        [2, "#8fb9dd"],
      ] as const)
        bottle(p, x + w / 2 + dx, y + d * 0.5 + dx, hex);
  } else if (n % 4 === 0) {
    analyser(p, x + 4, y + 8, w - 9, 20, "#a99ad6");
  } else if (n % 4 === 1) {
    microscope(p, x + w * 0.32, y + d * 0.62);
    rack(p, x + w * 0.7, y + d * 0.42);
    paper(p, x + w * 0.72, y + d * 0.8, 0.15);
  } else if (n % 4 === 2) {
    oval(p, x + w * 0.38, y + d * 0.5, 11, 7.5, "#dfe4ee");
    oval(p, x + w * 0.38, y + d * 0.4, 10, 6.4, "#f4f6fa");
    oval(p, x + w * 0.38, y + d * 0.4, 5, 3, "#93a0ba");
    bottle(p, x + w * 0.76, y + d * 0.5, "#d98a7a");
    bottle(p, x + w * 0.88, y + d * 0.6, "#8fc0a6", 7);
  } else {
    screen(p, x + w * 0.4, y + d * 0.5, 24, 17);
    keyboard(p, x + w * 0.4, y + d * 0.74);
    rack(p, x + w * 0.72, y + d * 0.86);
  }
}

function wallBench(kit: Kit, x: number, y: number, w: number): void {
  const d = 19;
  kit.piece({ x, y, w, d, h: 48 }, (p) => {
    box(p, x, y, w, d, 19, "#f6f6fb", { r: 3, front: "#e0deee" });
    for (let dx = 3; dx + 24 < w; dx += 26) round(p, x + dx, y + d - 15, 23, 12, 1.5, "#d5d2e8");
    const lift = y - 19;
    analyser(p, x + 8, lift + 1, 40, 25, "#8fb9dd");
    rack(p, x + 64, lift + 12);
    rack(p, x + 90, lift + 13);
    if (w > 150) analyser(p, x + w - 52, lift + 1, 42, 21, "#8fc0a6");
    if (w > 180) microscope(p, x + 118, lift + 14);
    oval(p, x + w * 0.68, lift + 10, 8, 3.6, "#cfdbe4");
  });
}

/** The counter where samples are handed in. */
function hatch(kit: Kit, x: number, y: number): void {
  kit.piece({ x, y, w: 40, d: 15, h: 46 }, (p) => {
    box(p, x, y, 40, 15, 19, "#f0eaf6", { r: 3, front: shaded("#dcd4ec", 0.02) });
    const lift = y - 19;
    stroke(p, "#8d86c2", 2.4, [x + 2, lift + 2], [x + 2, lift - 22], [x + 38, lift - 22], [x + 38, lift + 2]);
    round(p, x + 1, lift - 26, 38, 7, 2.5, "#8d86c2");
    for (let n = 0; n < 3; n++) oval(p, x + 13 + n * 7, lift - 22.6, 1.7, 1.7, "#f4f1fb", false);
    round(p, x + 5, lift + 5, 20, 7, 1.6, "#d9e3ec");
    for (let n = 0; n < 4; n++)
      round(p, x + 7 + n * 4.4, lift + 2.6, 2.6, 6, 1.2, ["#d98a7a", "#a99ad6", "#e6c36a", "#8fc0a6"][n]!);
    mug(p, x + 33, lift + 12, "#f4f1fb");
  });
}

// The hospital's art: the whole plan with its furniture, and people in every role, age, pose and facing.
import { useEffect, useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { get } from "#/api/client.ts";
import type { Art, Bearing, Facing, HospitalPlan, Looks, Theme } from "#/hospital/art/contract.ts";
import { makeArt } from "#/hospital/art/index.ts";
import { OneOf } from "../Fields.tsx";
import { Fault, Loading } from "../States.tsx";

const SIDES: Facing[] = ["south", "east", "north", "west"];
const AGES = ["", "child", "young", "middle", "old"] as const;
const SEXES = ["", "female", "male"] as const;
const ROLES = [
  "doctor",
  "team",
  "tutor",
  "student",
  "specialist",
  "supervisor",
  "expert",
  "examinee",
  "examination",
].concat(["describer", "controller", "clerk", "summarizer", "patient"]);

type One = [Looks, Bearing];

function one(n: number, looks: Partial<Looks>, bearing: Partial<Bearing> = {}): One {
  const hair = looks.age === "old" ? 6 : (n * 2) % 6;
  return [
    { role: "patient", age: "", sex: "", skin: n % 6, hair, cut: n % 4, clothes: n % 8, aid: "", ...looks },
    { pose: "stand", facing: "south", step: 0, strain: 0, ...bearing },
  ];
}

const SHEET: [name: string, people: One[]][] = [
  ["Roles", ROLES.map((role, n) => one(n, { role, sex: SEXES[n % 3]! }))],
  [
    "From behind and the side",
    ROLES.map((role, n) => one(n + 3, { role, sex: SEXES[(n + 1) % 3]! }, { facing: SIDES[(n % 3) + 1]! })),
  ],
  ["Ages", AGES.flatMap((age, k) => SEXES.map((sex, n) => one(k + n, { age, sex })))],
  [
    "Clothes of their own",
    [0, 1, 2, 3, 4, 5, 6, 7].map((clothes) => one(clothes, { clothes, sex: clothes % 2 ? "male" : "female" })),
  ],
  ["A walk", [1, 2, 3, 4, 5, 6, 7, 8].map((step) => one(2, { role: "doctor" }, { step, facing: "east" }))],
  [
    "Seated, and with aids",
    [
      ...SIDES.map((facing, n) => one(n, { age: "middle" }, { facing, pose: "sit" })),
      ...SIDES.map((facing, n) => one(n, { age: "old", aid: "wheelchair" }, { facing })),
      ...SIDES.map((facing, n) => one(n + 2, { age: "old", aid: "cane" }, { facing })),
    ],
  ],
  [
    "In distress, by posture alone",
    ([1, 2] as const).flatMap((strain) => [
      ...SIDES.map((facing) => one(3, { age: "middle", sex: "male" }, { facing, strain })),
      one(1, { age: "young", sex: "female" }, { pose: "lie", strain }),
    ]),
  ],
];

export default function HospitalExamples() {
  const [theme, setTheme] = useState<Theme>("light");
  const plan = useQuery({ queryKey: ["plan"], queryFn: ({ signal }) => get<HospitalPlan>("/api/plan", signal) });
  if (plan.error) return <Fault error={plan.error} again={() => void plan.refetch()} />;
  if (!plan.data) return <Loading />;
  const art = makeArt(plan.data, theme);
  return (
    <div className="stack">
      <OneOf
        label="The hour"
        value={theme}
        onChange={(chosen) => setTheme(chosen)}
        options={[
          { id: "light", text: "Day" },
          { id: "dark", text: "Evening" },
        ]}
      />
      <Picture
        name="The plan with its furniture"
        width={art.size.width}
        height={art.size.height}
        paint={(c) => whole(c, art)}
      />
      {SHEET.map(([name, people]) => (
        <Picture key={name} name={name} width={people.length * 62} height={96} paint={(c) => row(c, art, people)} />
      ))}
    </div>
  );
}

function whole(c: CanvasRenderingContext2D, art: Art): void {
  art.building(c);
  for (const piece of art.pieces) piece.paint(c);
}

function row(c: CanvasRenderingContext2D, art: Art, people: One[]): void {
  people.forEach(([looks, bearing], n) => {
    c.save();
    c.translate(31 + n * 62, 82);
    art.person(c, looks, bearing);
    c.restore();
  });
}

interface PictureProps {
  name: string;
  width: number;
  height: number;
  paint: (context: CanvasRenderingContext2D) => void;
}

function Picture({ name, width, height, paint }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const c = canvas.current?.getContext("2d");
    if (!c) return;
    let here = true;
    const draw = () => {
      c.setTransform(2, 0, 0, 2, 0, 0);
      c.clearRect(0, 0, width, height);
      paint(c);
    };
    draw();
    // The rooms' names again, in the page's font.
    void document.fonts.load('800 16px "Nunito"').then(() => here && draw());
    return () => void (here = false);
  });
  return (
    <figure style={{ margin: 0 }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={name}
        width={width * 2}
        height={height * 2}
        style={{ width: `min(100%, ${width}px)`, height: "auto" }}
      />
      <figcaption className="small soft">{name}</figcaption>
    </figure>
  );
}

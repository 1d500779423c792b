// The picture in the page: the stage, and the buttons of its camera.
import { useEffect, useRef, useState } from "react";
import { Button } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { capital, visible } from "#/design/text.ts";
import type { HospitalPlan, PlanRoom } from "#/hospital/art/contract.ts";
import { makeArt } from "#/hospital/art/index.ts";
import type { Box } from "#/hospital/camera.ts";
import type { Clock } from "#/hospital/clock.ts";
import { Picture, type Aim } from "#/hospital/picture.ts";
import type { Played } from "#/hospital/timeline.ts";
import type { Bubble } from "#/hospital/types.ts";
import { useColours } from "./useColours.ts";

export interface Hold {
  zoom: (by: number) => void;
}

export interface PictureBoxProps {
  plan: HospitalPlan;
  timeline: Played;
  clock: Clock;
  aim: Aim;
  onAim: (aim: Aim) => void;
  /** The aim one comes back to. */
  rest?: "follow" | "whole";
  calm: boolean;
  labelOf: (bubble: Bubble) => string;
  onPerson: (who: string, box: Box) => void;
  onRoom?: (room: PlanRoom) => void;
  hold: { current: Hold | null };
  children?: React.ReactNode;
}

export function PictureBox({ plan, timeline, clock, aim, onAim, rest = "follow", calm, labelOf, onPerson, onRoom, hold, children }: PictureBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const [picture, setPicture] = useState<Picture | null>(null);
  const theme = useColours();
  const latest = useRef({ onAim, onPerson, onRoom, labelOf, aim, theme });
  latest.current = { onAim, onPerson, onRoom, labelOf, aim, theme };
  useEffect(() => {
    const made = new Picture(host.current!, {
      plan,
      makeArt,
      clock,
      calm,
      theme: latest.current.theme,
      aim: latest.current.aim,
      onAim: (now) => latest.current.onAim(now),
      onPerson: (who, box) => latest.current.onPerson(who, box),
      onRoom: (room) => latest.current.onRoom?.(room),
      labelOf: (bubble) => latest.current.labelOf(bubble),
    });
    setPicture(made);
    hold.current = made;
    return () => {
      hold.current = null;
      made.close();
    };
  }, [plan, clock, calm, hold]);
  useEffect(() => picture?.load(timeline), [picture, timeline]);
  useEffect(() => picture?.dress(theme), [picture, theme]);
  useEffect(() => picture?.aimAt(aim), [picture, aim]);
  // After each time that it is drawn, since what lies over the picture comes and goes with it.
  useEffect(() => picture?.keepOff(laidOver(host.current!)));
  return (
    <div className="stage-box">
      <div className="hospital" ref={host} />
      <div className="camera row" role="group" aria-label="Camera">
        <Aims plan={plan} timeline={timeline} aim={aim} onAim={onAim} follows={rest === "follow"} />
        <Button onPress={() => picture?.zoom(1.3)} aria-label="Larger">
          <Icon name="plus" />
        </Button>
        <Button onPress={() => picture?.zoom(1 / 1.3)} aria-label="Smaller">
          <Icon name="minus" />
        </Button>
        {aim !== rest && (
          <Button look="main" onPress={() => onAim(rest)}>
            {rest === "follow" ? "Follow" : "Whole floor"}
          </Button>
        )}
      </div>
      {children}
    </div>
  );
}

/** Where a monitor lies over the picture. */
function laidOver(host: HTMLElement): Box[] {
  const found = host.parentElement!.querySelectorAll<HTMLElement>(".vitals");
  const boxes = [...found].map(({ offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height }) => ({ x, y, width, height }));
  return boxes.filter(({ y }) => y < host.clientHeight);
}

/** What the camera shows, as a list. */
function Aims({ plan, timeline, aim, onAim, follows }: Pick<PictureBoxProps, "plan" | "timeline" | "aim" | "onAim"> & { follows: boolean }) {
  return (
    <select className="input" aria-label="What the camera shows" value={aim} onChange={(event) => onAim(event.target.value as Aim)}>
      {follows && <option value="follow">Follow who acts</option>}
      <option value="whole">The whole floor</option>
      {aim === "free" && <option value="free">Where you left it</option>}
      <optgroup label="A room">
        {plan.rooms.map(({ name, title }) => (
          <option key={name} value={`room:${name}`}>
            {visible(title)}
          </option>
        ))}
      </optgroup>
      <optgroup label="A person">
        {Object.entries(timeline.made.actors).map(([who, { name }]) => (
          <option key={who} value={`who:${who}`}>
            {capital(visible(name.replaceAll("_", " ")))}
          </option>
        ))}
      </optgroup>
    </select>
  );
}

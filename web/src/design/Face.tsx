// A patient's face, drawn from the stated age and sex and from what is seen, and from nothing else.

export type Mood = "calm" | "distressed" | "away";

export interface FaceProps {
  age: number | null;
  sex: "female" | "male" | null;
  /** `away`: eyes closed, as of one who does not respond. There is no smile. */
  mood?: Mood;
  size?: number;
  /** A number that chooses among looks (skin, hair, clothes), the same for the whole sitting. */
  seed?: number;
}

const SKINS = ["#f6d3b8", "#eabf9b", "#d7a37a", "#b97f57", "#95613f", "#704a33"];
const HAIRS = ["#2b2320", "#4a3226", "#7a5233", "#a97c46", "#8c4a2b"];
const CLOTHES = ["#5aa9c9", "#c9747f", "#7f9a6a", "#8d86c9", "#d09a55"];

export function Face({ age, sex, mood = "calm", size = 46, seed = 0 }: FaceProps) {
  const years = age ?? 40;
  const skin = SKINS[seed % SKINS.length]!;
  const young = HAIRS[Math.floor(seed / 7) % HAIRS.length]!;
  const hair = years >= 72 ? "#d9d9d6" : years >= 55 ? "#9b9a98" : young;
  const clothes = CLOTHES[Math.floor(seed / 3) % CLOTHES.length]!;
  const line = "#3c2a22";
  const child = years < 13;
  const head = { cx: 32, cy: child ? 31 : 29, rx: child ? 15.5 : 14, ry: child ? 15 : 15.5 };
  const eyes = head.cy + 1;
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" aria-hidden focusable="false" className="face">
      <circle cx="32" cy="32" r="32" fill="#dceeea" />
      <clipPath id={`round-${seed}-${size}`}>
        <circle cx="32" cy="32" r="32" />
      </clipPath>
      <g clipPath={`url(#round-${seed}-${size})`}>
        {sex === "female" && !child && years < 75 && (
          <path d="M14 30c0-16 8-22 18-22s18 6 18 22l1 18H13z" fill={hair} />
        )}
        <path d="M8 66c1-13 11-18 24-18s23 5 24 18z" fill={clothes} />
        <path d="M26 40h12v9c-3 3.500-9 3.500-12 0z" fill={skin} />
        <path d="M26 44c4 2.500 8 2.500 12 0v2.500c-4 2.500-8 2.500-12 0z" fill="#000" opacity=".1" />
        <ellipse {...head} fill={skin} />
        <circle cx={head.cx - head.rx} cy={eyes + 1} r="2.800" fill={skin} />
        <circle cx={head.cx + head.rx} cy={eyes + 1} r="2.800" fill={skin} />
        <Hair sex={sex} years={years} hair={hair} />
        {years >= 50 && (
          <path
            d={`M22 ${eyes + 5}q3 1.600 6 0M36 ${eyes + 5}q3 1.600 6 0`}
            stroke="#000"
            opacity=".18"
            fill="none"
            strokeWidth="1"
          />
        )}
        {mood === "away" ? (
          <path
            d={`M23 ${eyes}q3 2.200 6 0M35 ${eyes}q3 2.200 6 0`}
            stroke={line}
            fill="none"
            strokeWidth="1.800"
            strokeLinecap="round"
          />
        ) : (
          <>
            <circle cx="26" cy={eyes} r="1.900" fill={line} />
            <circle cx="38" cy={eyes} r="1.900" fill={line} />
          </>
        )}
        <path
          d={
            mood === "distressed"
              ? `M22.500 ${eyes - 4}l6-2.600M41.500 ${eyes - 4}l-6-2.600`
              : `M22.500 ${eyes - 5}q3-1.500 6-.600M35.500 ${eyes - 5.6}q3-.900 6 .600`
          }
          stroke={line}
          fill="none"
          strokeWidth="1.600"
          strokeLinecap="round"
        />
        <path
          d={
            mood === "distressed"
              ? `M28 ${eyes + 10.5}q4-3.400 8 0`
              : mood === "away"
                ? `M29.500 ${eyes + 9.500}h5`
                : `M28.500 ${eyes + 9}h7`
          }
          stroke={line}
          fill="none"
          strokeWidth="1.700"
          strokeLinecap="round"
        />
      </g>
    </svg>
  );
}

function Hair({ sex, years, hair }: { sex: "female" | "male" | null; years: number; hair: string }) {
  if (years < 2) return <path d="M28 15q4-4 8 0" stroke={hair} strokeWidth="2.500" fill="none" strokeLinecap="round" />;
  if (years < 13) return <path d="M16.500 30c-1-11 6-17 15.500-17s16.500 6 15.500 17c-2-4-4-7-7-8.500-6 2-14 2-17 0-3 1.500-5 4.500-7 8.500z" fill={hair} />;
  if (sex === "female")
    return <path d="M17 31c-2-14 6-20 15-20s17 6 15 20c-2.500-3-3.500-7-4-10-7 1-14-1-18-4-1.500 6-4.500 10-8 14z" fill={hair} />;
  if (sex === "male" && years >= 58)
    return <path d="M17.500 31c-2-5-1-9 1.500-11.500 0 4 0 7-1.500 11.500zM46.500 31c2-5 1-9-1.500-11.500 0 4 0 7 1.500 11.500z" fill={hair} />;
  return <path d="M17 29c-2-12 5-18 15-18s17 6 15 18c-1-4-2.500-6.500-5-8.500-7 1.500-14 1-19-1-3 2-5 5-6 9.500z" fill={hair} />;
}

const AWAY =
  /\b(unconscious|unresponsive|limp|collapsed?s?|not respond\w*|does not answer|makes no sound|eyes (roll|closed|are( \w+)? turned up)|fitting|convuls\w*|jerk(s|ing)|twitch\w*|when shaken|sleeps deeply|no pulse|pulseless|not breathing|chest compressions|(cardiac )?arrest|(arrest|emergency|theatre|resuscitation|intensive care) team)\b/i;
const DISTRESS =
  /\b(distress\w*|pale|pallor|ashen|grey|white|dusky|blue|clammy|sweat\w*|restless|in pain|agitated|tearful|weeps?|weeping|cries|crying|frightened|anxious|gasping|breathless|harsh noise|cyanos\w*|drowsy|unwell|shiver\w*|writhing|grimac\w*|trembl\w*|blood (runs|pours|drips))\b/i;

/** The mood shown for what is seen of the patient: the latest description that says something. */
export function moodOf(seen: string[]): Mood {
  const latest = seen.at(-1) ?? "";
  if (AWAY.test(latest)) return "away";
  return DISTRESS.test(latest) && !/\b(not|no|without) (in )?(any )?(distress|pallor)/i.test(latest) ? "distressed" : "calm";
}

/** A number from a name, to choose a look by. */
export function seedOf(name: string): number {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return sum;
}

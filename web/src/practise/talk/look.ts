// What the words at hand state about a person's age and sex, for the drawn face. Nothing is guessed from a diagnosis.
export interface Look {
  age: number | null;
  sex: "female" | "male" | null;
}

const YEARS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const FEMALE = /\b(?:Ms|Mrs|Miss|woman|girl|lady|mother|daughter|sister|wife|aunt|grandmother|niece)\b/i;
const MALE = /\b(?:Mr|man|boy|gentleman|father|son|brother|husband|uncle|grandfather|nephew)\b/i;

/** Age and sex as stated: "Woman, 58.", "An 11-year-old girl", "Ms Rowe, 34, a nurse", "Milo is three". */
export function statedLook(text: string): Look {
  return { age: statedAge(text), sex: first(text, FEMALE, MALE) };
}

/** The sex that the first of two kinds of words tells; `null` if neither is there. */
function first(text: string, female: RegExp, male: RegExp): Look["sex"] {
  const she = text.search(female);
  const he = text.search(male);
  if (she < 0 && he < 0) return null;
  return he < 0 || (she >= 0 && she < he) ? "female" : "male";
}

/** The sex that the first pronoun tells: "She sits on the edge of the bed". */
export function pronounSex(text: string): Look["sex"] {
  return first(text, /\b(?:she|her|hers)\b/i, /\b(?:he|him|his)\b/i);
}

function statedAge(text: string): number | null {
  const old = /\b(\d{1,3})[- ](day|week|month|year)s?[- ]old\b/i.exec(text);
  if (old) return Number(old[1]) / { day: 365, week: 52, month: 12, year: 1 }[old[2]!.toLowerCase() as "day"];
  const years = /(?:,|\baged?|\bof)\s+(\d{1,3})\b(?!\s*(?:mg|ml|min|hours?|%|\/))/i.exec(text);
  if (years && Number(years[1]) <= 115) return Number(years[1]);
  const word = new RegExp(`\\bis (${YEARS.join("|")})\\b`, "i").exec(text);
  return word ? YEARS.indexOf(word[1]!.toLowerCase()) + 1 : null;
}

// Names of players. `model:a+cot+discuss:model:b/model:c`: a player, and wrappers around it, of which some name a team.

const MARK = "+";
const AND = "/";
const MODEL = "model:";

/** The player inside, and the wrappers around it as written: "model:a" and "cot+ensemble:3". */
export function insideAndAround(name: string): [string, string] {
  const [inside = "", ...around] = name.split(MARK);
  return [inside, around.join(MARK)];
}

/** The language models in a player's name, its team's too, each once: "a" and "b" of "model:a+discuss:model:b/baseline". */
export function modelsIn(name: string): string[] {
  const [inside, around] = insideAndAround(name);
  const members = around.split(MARK).flatMap((wrapper) => wrapper.slice(wrapper.indexOf(":") + 1).split(AND));
  const models = [inside, ...members].filter((player) => player.startsWith(MODEL) && player.length > MODEL.length);
  return [...new Set(models.map((player) => player.slice(MODEL.length)))];
}

import { ConfigurationError } from "./errors.ts";

/**
 * Refuses options that a function does not have: a misspelt one would silently have no effect.
 *
 * @param owner the function that takes the options
 * @throws {ConfigurationError} `invalid_option`, with the nearest name
 */
export function refuseUnknownOptions(owner: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError("invalid_option", `${owner}: ${unknownOption(unknown, names)}`);
}

export function unknownOption(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return `Unknown option ${name}${nearest ? `; did you mean ${nearest}?` : "."} The options are: ${names.join(", ")}.`;
}

/** The name that shares the most pairs of letters with the given one (Dice coefficient); undefined if none is near. */
function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const given = pairsOf(wrong);
  let [nearest, most]: [string | undefined, number] = [undefined, 0.4];
  for (const name of names) {
    const known = pairsOf(name);
    const likeness = (2 * known.filter((pair) => given.includes(pair)).length) / (known.length + given.length);
    if (likeness > most) [nearest, most] = [name, likeness];
  }
  return nearest;
}

const pairsOf = (name: string): string[] =>
  [...name.toLowerCase()].map((_letter, index) => name.toLowerCase().slice(index, index + 2));

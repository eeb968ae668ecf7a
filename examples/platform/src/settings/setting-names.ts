import { closest, distance } from "fastest-levenshtein";

/** Read by other programs of this repository and by the samples of its packages, which may share the environment. */
const namesOfOthers = [
  "OFFERS_BOOTSTRAPPED",
  "OFFERS_BASE_URL",
  "OFFERS_API_KEY",
  "OFFERS_USER_ID",
  "OFFERS_WEBHOOK_SECRET",
];

/** Whether a variable can only be meant for the platform: in any case, so that `offers_data` is found to be misspelt. */
export const isSettingName = (name: string): boolean => /^OFFERS_/i.test(name) && !namesOfOthers.includes(name);

/** What to do about a variable that is not one of `names` (D-90). */
export function unknownSetting(name: string, names: readonly string[]): string {
  const written = name.toUpperCase();
  const nearest = closest(written, names);
  // A name that differs in more characters would be a guess.
  const remedy =
    distance(written, nearest) <= Math.max(3, written.length / 3)
      ? `did you mean ${nearest}? Correct its name, or remove it`
      : "remove it; OPERATING.md of the platform lists all settings";
  return `Unknown setting ${name}; ${remedy}`;
}

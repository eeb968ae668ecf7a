import { findNearestName } from "@offers/contract/nearest-name";
import { ConfigurationError } from "./errors.ts";

/**
 * Rejects a value that is not an options object, and unknown options, because a misspelt option would silently have no effect.
 *
 * @param owner the function that takes the options
 * @throws {ConfigurationError} `invalid_option`, with the nearest name
 */
export function rejectUnknownOptions(owner: string, options: object, names: readonly string[]): void {
  if (Object(options) !== options) throw new ConfigurationError("invalid_option", `${owner} takes an options object.`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError("invalid_option", `${owner}: ${describeUnknownOption(unknown, names)}`);
}

/** Describes an unknown option, and suggests the nearest name. */
export function describeUnknownOption(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name, names);
  const suggestion = nearest ? `; did you mean ${nearest}?` : ".";
  return `Unknown option ${name}${suggestion} The options are: ${names.join(", ")}.`;
}

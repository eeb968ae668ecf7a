import { ConfigurationError } from "../errors.ts";
import { typeInWords } from "./type-in-words.ts";

/**
 * A function that was not called, or an object that is none of its kind, would be found out by the first event.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function checkMethods<T extends object>(
  name: string,
  value: T,
  methods: readonly (keyof T & string)[],
  example: string,
): T {
  const isRight =
    typeof value === "object" && value !== null && methods.every((method) => typeof value[method] === "function");
  if (isRight) return value;
  throw new ConfigurationError(
    "invalid_option",
    `${name} must be an object with the functions ${methods.join(", ")}, such as ${example}; it is ${describe(value)}.`,
  );
}

const describe = (value: unknown): string =>
  typeof value === "function"
    ? "a function that was not called"
    : typeof value === "object" && value !== null
      ? "an object without them"
      : typeInWords(value);

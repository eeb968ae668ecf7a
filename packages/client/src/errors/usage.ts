import { UsageError } from "./error-classes.ts";

/** Throws a usage error. `code` defaults to the code for an invalid option. */
export function throwUsageError(message: string, code: UsageError["code"] = "invalid_option"): never {
  throw new UsageError(message, { code });
}

/** Returns the name of a value's type: its `typeof`, or, for an object, its class, such as `Array`, `AbortSignal` or `Null`. */
export const typeName = (value: unknown): string =>
  // `[object Array]` becomes `Array`.
  typeof value === "object" ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;

/** Throws unless `typeName` returns `type` for the value. The message never contains the value. */
export function assertType(name: string, value: unknown, type: string, code?: UsageError["code"]): void {
  if (typeName(value) !== type) throwUsageError(wrongTypeMessage(name, type, value), code);
}

/** Throws unless `values` is an array and `typeName` returns `type` for every item. */
export function assertEach(name: string, values: readonly unknown[], type: string, code?: UsageError["code"]): void {
  assertType(name, values, "Array", code);
  for (const [index, value] of values.entries()) assertType(`${name}[${index}]`, value, type, code);
}

/** Returns a message such as `events must be of type Array, not Null`. */
export const wrongTypeMessage = (name: string, type: string, value: unknown): string =>
  `${name} must be of type ${type}, not ${typeName(value)}`;

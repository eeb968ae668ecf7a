import * as z from "zod";
import { toPlainForm, toUtc } from "./date-time.ts";

/**
 * Returns a schema in which null counts as absent for an optional field (D-94). A required field rejects null. A field that is not in the
 * schema may be null.
 */
export function nullAsAbsent<T extends z.ZodObject>(schema: T): z.ZodPreprocess<T> {
  const optionalNames = Object.entries(schema.shape).flatMap(([name, field]) => (isOptional(field) ? [name] : []));
  return z.preprocess((value) => omitOptionalNulls(value, optionalNames), schema);
}

const isOptional = (field: z.core.$ZodType): boolean => z.safeParse(field, undefined).success;

function omitOptionalNulls(value: unknown, optionalNames: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isAbsent = (name: string): boolean => optionalNames.includes(name) && Reflect.get(value, name) === null;
  if (!optionalNames.some(isAbsent)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isAbsent(name)));
}

const createDateTimeSchema = (
  normalise: (text: string) => string | undefined,
): z.ZodPipe<z.ZodString, z.ZodTransform<string, string>> =>
  z.string().transform((text, context) => {
    const result = normalise(text);
    if (result !== undefined) return result;
    context.addIssue({ code: "invalid_format", format: "datetime" });
    return z.NEVER;
  });

/** A schema that accepts a date-time and converts it to UTC, unless every reader accepts its notation (D-96). */
export const dateTime: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>> = createDateTimeSchema(toPlainForm);

/** A schema that accepts a date-time and converts it to UTC, unless it is in UTC already (D-96). */
export const utcDateTime: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>> = createDateTimeSchema(toUtc);

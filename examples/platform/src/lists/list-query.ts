import { z } from "zod";
import type { ListCursor, ListKey } from "./list-cursor.ts";

/** The largest page of a list, and the default (D-92). */
const maxListLimit = 100;

/** An optional query parameter. One that is given twice is an array, and invalid. */
const parameter = <T>(read: (text: string) => T | undefined, remedy: string) =>
  z
    .unknown()
    .optional()
    .transform((given, context) => {
      if (given === undefined) return undefined;
      const value = typeof given === "string" ? read(given) : undefined;
      if (value === undefined) context.addIssue({ code: "custom", message: remedy });
      return value;
    });

const limit = parameter(
  (text) => (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxListLimit ? Number(text) : undefined),
  `Write a whole number from 1 to ${maxListLimit}, once.`,
).transform((given) => given ?? maxListLimit);

/** The query parameters of a list. Extend it for a list with more. */
export const listSchema = (cursor: ListCursor) =>
  z.strictObject({
    limit,
    before: parameter<ListKey>(
      (text) => cursor.read(text),
      "Use `next` of the previous page unchanged and once, or omit it to begin with the newest.",
    ),
  });

import { z } from "zod";
import type { ListCursor, ListKey } from "./list-cursor.ts";

/** The largest part of a list, and the usual one (D-92). */
export const maxListLimit = 100;

/** The query parameters that every list has. */
export const listParameters = ["limit", "before"] as const;

/** A query parameter that may be left out; one that is given twice is an array, and none that can be read. */
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

/** What may be asked of a list: how many rows, and after which. */
export const listFields = (cursor: ListCursor) => ({
  limit,
  before: parameter<ListKey>(
    (text) => cursor.read(text),
    "Give the next of the part before, unchanged and once, or leave it out to begin with the newest.",
  ),
});

/** The whole query of a list that has no other parameters. */
export const listSchema = (cursor: ListCursor) => z.strictObject(listFields(cursor));

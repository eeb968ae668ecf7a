import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const glossarySchema = z.record(
  z.string(),
  z.array(
    z.strictObject({
      term: z.string(),
      meaning: z.string(),
      /** The file that defines the term, and must contain it. */
      file: z.string(),
      decision: z.string().optional(),
    }),
  ),
);

/** The terms of spec/glossary.yaml, by section. */
export type Glossary = z.infer<typeof glossarySchema>;

export const readGlossary = (root: string): Glossary =>
  glossarySchema.parse(parse(readFileSync(join(root, "spec/glossary.yaml"), "utf8")));

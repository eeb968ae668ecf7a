import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** One statement in spec/interface.md: a sentence of a paragraph or list item, or a table row. */
export interface Statement {
  /** The heading above the statement. */
  section: string;
  /** `interface: Offer title` is a row, `interface: Errors 2` a list item or paragraph, and `2b` its second sentence. */
  tag: string;
  /** The statement, verbatim. The cells of a row are joined by ` | `. */
  text: string;
}

/** The names of sections in tags. Other sections are named after the first word of the heading. */
const shortNames: Readonly<Record<string, string>> = {
  "Offers and Webhooks Interface Specification": "Introduction",
  "What the service does": "Overview",
  "Offer creation body (sent to `POST /offer`)": "Creation",
  "Contact suggestion request (body sent by the service to `POST {webhook_base_url}/contact-suggestions`)": "Search",
  "Contact suggestion response (array of suggestion objects)": "Suggestion",
  "A. Endpoints of the service ({base_url})": "Operations",
  "B. Endpoints the integrating organisation implements ({webhook_base_url})": "Webhooks",
};

/** Reads every statement of the contract, in order. */
export function readStatements(root: string): Statement[] {
  const statements: Statement[] = [];
  let section = "";
  let name = "";
  let number = 0;
  const addStatement = (text: string, item: string) =>
    statements.push({ section, tag: makeTagUnique(`interface: ${name} ${item}`, statements), text });
  const document = readFileSync(join(root, "spec/interface.md"), "utf8");
  const withoutTableHeaders = document.trim().replace(/^\|.*\n\|[-|]+\|\n/gm, "");
  for (const line of withoutTableHeaders.split(/\n+/)) {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    // "Recipient object:" introduces a table within a section.
    const subject = heading ?? /^\w+(?= object\b.*:$)/.exec(line)?.[0];
    if (subject !== undefined) {
      name = shortNames[subject] ?? subject.replace(/ .*/, "");
      number = 0;
    }
    const [mark = "", listNumber] = /^(?:\| |#+ |\s*(?:(\d+)\.|-) )/.exec(line) ?? [];
    const text = line.slice(mark.length);
    if (heading !== undefined) section = heading;
    // A row is named after its first cell, without parentheses. Its text omits the ` |` at the end.
    else if (line.startsWith("| ")) addStatement(text.slice(0, -2), text.replace(/ [(|].*/, ""));
    else {
      // An item with a dash belongs to the numbered item above it.
      if (listNumber !== undefined || mark === "") number = Number(listNumber ?? number + 1);
      for (const sentence of text.split(/(?<=[.!?])\s+(?=[A-Z`])/)) addStatement(sentence, `${number}`);
    }
  }
  return statements;
}

/** Adds a letter to the tag if an earlier statement has the same tag. The second statement with the tag `Errors 2` gets `Errors 2b`. */
function makeTagUnique(tag: string, statements: readonly Statement[]): string {
  const candidates = ["", ..."bcdefghij"].map((letter) => `${tag}${letter}`);
  const uniqueTag = candidates.find((candidate) => statements.every((statement) => statement.tag !== candidate));
  if (uniqueTag === undefined) throw new Error(`more than ten statements have the tag ${tag}`);
  return uniqueTag;
}

const constantSchema = z.union([z.string(), z.number(), z.array(z.number())]);

const decisionsSchema = z.record(
  z.string().regex(/^D-\d{2,3}$/),
  z.strictObject({
    question: z.string(),
    /** The statements in spec/interface.md that leave the question open, such as `Errors 2`. */
    interface: z.array(z.string().transform((item) => `interface: ${item}`)).default([]),
    evidence: z.string(),
    choice: z.string(),
    /** Constants that are generated from this decision, by package or example and by name. */
    values: z.record(z.string(), z.record(z.string().regex(/^[a-z]\w+$/), constantSchema)).optional(),
    why: z.string(),
    change: z.string(),
  }),
);

/** Reads the decisions in spec/decisions.yaml, by id. */
export const readDecisions = (root: string) =>
  decisionsSchema.parse(parse(readFileSync(join(root, "spec/decisions.yaml"), "utf8")));

/** A tag in the title of a test or of a `describe` block. A skipped test proves nothing. */
export interface Proof {
  /** `D-40` or `interface: Errors 2`. */
  tag: string;
  /** File and title, without tags. */
  test: string;
  /** Whether npm test skips it. */
  isSlow: boolean;
}

const tagPattern = / ?\[(D-[^\]]*|interface\b[^\]]*)\]/g;

/** Finds the tags in a title: `[interface: Offer id, title]` contains two. */
const findTags = (title: string): string[] =>
  [...title.matchAll(tagPattern)].flatMap(([, tag = ""]) => {
    const [, name, items] = /^(interface: \w+) (.+)$/.exec(tag) ?? [];
    return items?.split(", ").map((item) => `${name} ${item}`) ?? tag;
  });

/** Finds every proof, sorted by file. */
export function readProofs(root: string): Proof[] {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const files = globSync("{packages,examples,bench,scripts,tests}/**/*.{test,test-d}.ts", { cwd: root, exclude });
  return files.sort().flatMap((file) => {
    const isSlow = /\.(slow|docs)\.test\.ts$/.test(file);
    // Every string literal, except the title of a skipped test.
    const literals = readFileSync(join(root, file), "utf8").matchAll(
      /(?<!\.(?:skip|todo)\()(["'`])((?:(?!\1)[^\n\\]|\\.)*)\1/g,
    );
    return [...literals].flatMap(([, , title = ""]) => {
      const test = `${file} > ${title.replace(tagPattern, "")}`;
      return findTags(title).map((tag) => ({ tag, test, isSlow }));
    });
  });
}

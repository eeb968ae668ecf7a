import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parse } from "yaml";
import { z } from "zod";

/** One statement of spec/interface.md: a sentence, a list item's sentence, or a row of a table. */
export interface Statement {
  /** Its heading. */
  section: string;
  /** `interface: Offer title` is a row, `interface: Errors 2` a list item or paragraph, and `2b` its second sentence. */
  tag: string;
  /** Verbatim; the cells of a row are joined by ` | `. */
  text: string;
}

/** The names of sections in tags, if the first word of the heading is not enough. */
const shortNames: Readonly<Record<string, string>> = {
  "Offers and Webhooks Interface Specification": "Introduction",
  "What the service does": "Overview",
  "Offer creation body (sent to `POST /offer`)": "Creation",
  "Contact suggestion request (body sent by the service to `POST {webhook_base_url}/contact-suggestions`)": "Search",
  "Contact suggestion response (array of suggestion objects)": "Suggestion",
  "A. Endpoints of the service ({base_url})": "Operations",
  "B. Endpoints the integrating organisation implements ({webhook_base_url})": "Webhooks",
};

/** Every statement of the contract, in order. */
export function readStatements(root: string): Statement[] {
  const statements: Statement[] = [];
  let [section, name, number] = ["", "", 0];
  const add = (text: string, item: string) => {
    const tags = ["", ..."bcdefghij"].map((letter) => `interface: ${name} ${item}${letter}`);
    const tag = tags.find((free) => statements.every((other) => other.tag !== free)) as string;
    statements.push({ section, tag, text });
  };
  const document = readFileSync(join(root, "spec/interface.md"), "utf8");
  const withoutTableHeads = document.trim().replace(/^\|.*\n\|[-|]+\|\n/gm, "");
  for (const line of withoutTableHeads.split(/\n+/)) {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    // "Recipient object:" introduces a table within a section.
    const subject = heading ?? /^\w+(?= object\b.*:$)/.exec(line)?.[0];
    if (subject !== undefined) [name, number] = [shortNames[subject] ?? subject.replace(/ .*/, ""), 0];
    const [mark = "", listNumber] = /^(?:\| |#+ |\s*(?:(\d+)\.|-) )/.exec(line) ?? [];
    const text = line.slice(mark.length);
    if (heading !== undefined) section = heading;
    else if (line.startsWith("| ")) add(text.slice(0, -2), text.replace(/ [(|].*/, ""));
    else {
      // An item with a dash belongs to the numbered item above it.
      if (listNumber !== undefined || mark === "") number = Number(listNumber ?? number + 1);
      for (const sentence of text.split(/(?<=[.!?])\s+(?=[A-Z`])/)) add(sentence, `${number}`);
    }
  }
  return statements;
}

const value = z.union([z.string(), z.number(), z.array(z.number())]);

const decisionsSchema = z.record(
  z.string().regex(/^D-\d{2,3}$/),
  z.strictObject({
    question: z.string(),
    /** The statements of spec/interface.md that leave the question open: `Errors 2`. */
    interface: z.array(z.string().transform((item) => `interface: ${item}`)).default([]),
    evidence: z.string(),
    choice: z.string(),
    /** Constants that code imports from here, by package or example and by name. */
    values: z.record(z.string(), z.record(z.string().regex(/^[a-z]\w+$/), value)).optional(),
    why: z.string(),
    change: z.string(),
  }),
);

/** The decisions of spec/decisions.yaml, by id. */
export const readDecisions = (root: string) =>
  decisionsSchema.parse(parse(readFileSync(join(root, "spec/decisions.yaml"), "utf8")));

/** A tag of a test that runs, in its title or in that of an enclosing describe. */
export interface Proof {
  /** `D-40`, `interface: Errors 2`. */
  tag: string;
  /** File, describes and title, without tags. */
  test: string;
  /** Whether npm test skips it. */
  isSlow: boolean;
}

const tagPattern = / ?\[(D-[^\]]*|interface\b[^\]]*)\]/g;

/** `[interface: Offer id, title]` is two tags. */
const tagsIn = (title: string): string[] =>
  [...title.matchAll(tagPattern)].flatMap(([, tag = ""]) => {
    const [, name, items] = /^(interface: \w+) (.+)$/.exec(tag) ?? [];
    return items?.split(", ").map((item) => `${name} ${item}`) ?? tag;
  });

/** Every proof, in the order of the files. The tests are parsed, not run. */
export function readProofs(root: string): Proof[] {
  const proofs: Proof[] = [];
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  for (const file of globSync("{packages,examples,bench,scripts,tests}/**/*.{test,test-d}.ts", {
    cwd: root,
    exclude,
  }).sort()) {
    const text = readFileSync(join(root, file), "utf8");
    if (tagsIn(text).length === 0) continue;
    const isSlow = /\.(slow|docs)\.test\.ts$/.test(file);
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const stringIn = (node: ts.Node): string =>
      ts.isStringLiteral(node) || ts.isTemplateLiteral(node) ? node.getText(source).slice(1, -1) : "";
    let tests = 0;
    const add = (title: string, isSkipped: boolean) => {
      tests++;
      const test = title.replace(tagPattern, "");
      if (!isSkipped) proofs.push(...tagsIn(title).map((tag) => ({ tag, test, isSlow })));
    };
    const visit = (node: ts.Node, outer: string, isSkipped: boolean): void => {
      const call = ts.isCallExpression(node) ? node : undefined;
      const [callee] = /^(describe|test|it)\b[.\w]*/.exec(call?.getText(source) ?? "") ?? [];
      const title = callee && call?.arguments[0];
      if (title && stringIn(title)) {
        const name = `${outer} > ${stringIn(title)}`;
        const skips = isSkipped || /\.(skip|todo)\b/.test(callee);
        const before = tests;
        ts.forEachChild(node, (child) => {
          if (child !== title) visit(child, name, skips);
        });
        // A function may add the tests of a describe.
        if (!callee.startsWith("describe") || tests === before) add(name, skips);
      } else {
        // A tag within the table of a `test.each`.
        if (tagsIn(stringIn(node)).length > 0) add(`${outer} > ${stringIn(node)}`, isSkipped);
        ts.forEachChild(node, (child) => visit(child, outer, isSkipped));
      }
    };
    visit(source, file, false);
  }
  return proofs;
}

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block in a document. */
export interface Block {
  /** `README.md:28` */
  location: string;
  /** The word after the opening fence: `sh`, `text`, `ts`, or nothing. */
  language: string;
  code: string;
  /** The file name that the paragraph above tells the reader to use for a TypeScript block. */
  saveAs?: string;
  /** Why the block is not run. */
  notRun?: string;
  /** Whether the command runs, in a separate terminal, until the reader stops it. */
  keepsRunning: boolean;
  /** The output that the document shows: the `text` or `json` block that follows. */
  expected?: string;
}

const fence = /^\s*(`{3,}|~{3,})\s*(.*?)\s*$/;
const shellLanguages = new Set(["sh", "bash"]);
const outputLanguages = new Set(["text", "json"]);
const otherLanguages = new Set(["", "ts", "js", "jsonc", "python", "java", "nginx", "dockerfile", "yaml"]);

/**
 * Reads the blocks of a Markdown document, in order.
 *
 * A block may follow one of two HTML comments, which readers do not see: `<!-- not run: reason -->` or `<!-- keeps running -->`. A `text`
 * or `json` block is the output of the command block before it. After a `ts` block, it is the output of that code, which
 * `npm run check -- docs` runs.
 *
 * @throws for a block that would be neither run nor compared
 */
export function readDocument(root: string, source: string): Block[] {
  const blocks: Block[] = [];
  let openBlock: Block | undefined;
  /** The lines above a block, up to the previous block or heading. */
  let prose = "";
  for (const [index, line] of readFileSync(join(root, source), "utf8").split("\n").entries()) {
    const [, fenceMarks, language = ""] = fence.exec(line) ?? [];
    if (openBlock && fenceMarks !== undefined && language === "") {
      addBlock(blocks, openBlock);
      openBlock = undefined;
      prose = "";
    } else if (openBlock) openBlock.code += `${line}\n`;
    else if (fenceMarks !== undefined)
      openBlock = { location: `${source}:${index + 1}`, language, code: "", ...readRemarks(prose) };
    else prose = line.startsWith("#") ? "" : `${prose}${line}\n`;
  }
  if (openBlock) throw new Error(`${openBlock.location}: the block is not closed`);
  for (const { location, keepsRunning, expected } of blocks)
    if (keepsRunning && expected === undefined)
      throw new Error(`${location}: below the command, show the output that it prints when it is ready`);
  return blocks;
}

/** Whether a block is for a shell. */
export const isCommand = ({ language }: Block): boolean => shellLanguages.has(language);

/** Reads the instructions and comments in the lines above a block. */
function readRemarks(prose: string): Pick<Block, "saveAs" | "notRun" | "keepsRunning"> {
  const [, saveAs] = /\b[Ss]ave this as `([\w.-]+)`/.exec(prose) ?? [];
  const [, notRun] = /<!-- not run:([^>]*)-->\s*$/.exec(prose) ?? [];
  return {
    ...(saveAs !== undefined && { saveAs }),
    ...(notRun !== undefined && { notRun: notRun.trim() }),
    keepsRunning: /<!-- keeps running -->\s*$/.test(prose),
  };
}

/** Validates a block and adds it to the list, or makes it the expected output of the block before it. */
function addBlock(blocks: Block[], block: Block): void {
  const { location, language, code, notRun, keepsRunning } = block;
  const previous = blocks.at(-1);
  if (outputLanguages.has(language)) {
    if (previous?.language === "ts" && previous.expected === undefined) {
      previous.expected = code;
      return;
    }
    if (!previous || !isCommand(previous) || previous.expected !== undefined)
      throw new Error(`${location}: there is no command block before this output`);
    previous.expected = code;
    return;
  }
  if (!shellLanguages.has(language) && !otherLanguages.has(language))
    throw new Error(`${location}: ${language} is neither run nor compared`);
  if (language === "" && /^\s*(?:\$ )?(?:npm|npx|pnpm|node|curl|git|cd) /m.test(code))
    throw new Error(`${location}: a block with commands needs the language sh`);
  if (notRun === "") throw new Error(`${location}: state why the block is not run`);
  if (!isCommand(block) && (notRun !== undefined || keepsRunning))
    throw new Error(`${location}: only a block of commands can be marked`);
  blocks.push(block);
}

/** Lists every hand-written document except the contract. */
export const listDocuments = (root: string): string[] =>
  globSync(
    [
      "*.md",
      "docs/{home,guides/**/*}.md",
      "{packages,examples}/*/{README,OPERATING}.md",
      "{spec,scripts}/**/README.md",
      ".changeset/README.md",
    ],
    {
      cwd: root,
      exclude: (path) => path.includes("node_modules"),
    },
  ).sort();

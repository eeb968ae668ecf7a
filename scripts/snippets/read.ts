/** A TypeScript snippet that a reader could copy. */
export interface Snippet {
  /** The file that contains it, relative to the root. */
  source: string;
  /** The line of its opening fence, from 1. */
  line: number;
  code: string;
}

/** Finds the fenced ts blocks in a Markdown file, or in the docstrings of a TypeScript file. */
export function* findSnippets(source: string, content: string): Iterable<Snippet> {
  let openSnippet: Snippet | undefined;
  for (const [index, text] of content.split("\n").entries()) {
    const line = source.endsWith(".ts") ? text.replace(/^\s*\* ?/, "") : text;
    if (openSnippet && line.trimEnd() === "```") {
      yield openSnippet;
      openSnippet = undefined;
    } else if (openSnippet) openSnippet.code += `${line}\n`;
    else if (line.trimEnd() === "```ts") openSnippet = { source, line: index + 1, code: "" };
  }
  if (openSnippet) throw new Error(`${source}:${openSnippet.line}: the snippet is not closed`);
}

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { matches } from "./matches.ts";
import { portsOfItsOwn } from "./ports.ts";
import { type Block, isCommand } from "./read-document.ts";
import { Terminal } from "./terminal.ts";

export interface RunOptions {
  /** Where the reader's terminal is at the start: the root of the repository. */
  root: string;
  env: Record<string, string | undefined>;
  /** How long one block may take. */
  limitMs: number;
  onBlock?: (block: Block) => void;
}

/**
 * Types a document's commands, in order, as a reader would, on ports and in temporary folders of their own.
 *
 * @throws at the first command that fails, or prints something else than the document says
 */
export async function runDocument(blocks: readonly Block[], options: RunOptions): Promise<void> {
  const { root, env, limitMs, onBlock } = options;
  const scratch = await mkdtemp(join(tmpdir(), "offers-guide-"));
  const temporary = join(scratch, "tmp");
  await mkdir(temporary);
  const withOwnPorts = await portsOfItsOwn();
  const terminal = await Terminal.open(root, { ...env, TMPDIR: temporary }, scratch, limitMs);
  let folder = root;
  try {
    for (const block of blocks) {
      const code = withOwnPorts(block.code);
      if (block.saveAs !== undefined) await writeFile(join(folder, block.saveAs), code);
      if (!isCommand(block) || block.notRun !== undefined) continue;
      onBlock?.(block);
      try {
        const expected = withOwnPorts(block.expected ?? "…");
        const shows = (output: string) => matches(output, expected);
        if (block.keepsRunning) await terminal.start(code, shows);
        else {
          const end = await terminal.run(code);
          folder = end.folder;
          if (!shows(end.output)) throw new Error(`printed\n${end.output}\nand not\n${expected}`);
        }
      } catch (error) {
        throw new Error(`${block.place}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
  } finally {
    await terminal.close();
    await rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
}

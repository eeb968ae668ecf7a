import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../corpus");
const fileOf = (target: string): string => resolve(folder, `${target}.txt`);

/** The inputs of a target that are kept in the repository: one a line, as a JSON string of Latin-1. */
export async function readCorpus(target: string): Promise<readonly Buffer[]> {
  const text = await readFile(fileOf(target), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => Buffer.from(JSON.parse(line), "latin1"));
}

export async function writeCorpus(target: string, inputs: readonly Buffer[]): Promise<void> {
  const lines = inputs.map((input) => asciiOf(JSON.stringify(input.toString("latin1"))));
  await mkdir(folder, { recursive: true });
  await writeFile(
    fileOf(target),
    [...new Set(lines)]
      .sort()
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const asciiOf = (text: string): string =>
  text.replace(/[\x7f-\xff]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);

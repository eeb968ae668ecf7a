import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { UsageError } from "../terminal/output.ts";
import { readTextFile } from "../terminal/read-text-file.ts";

/** One line of the file: a change to the state. The first line contains the platform's URL. */
type Line = { platform: string } | { cursor: string } | { forwarded: string };

/** How many ids to load from the file. The service retries an event for about 45 hours, so it does not push older events again. */
const maxIds = 10_000;

/** How far the feed of one platform has been forwarded, saved in a file between runs. */
export class SavedCursor {
  readonly #file: string;
  readonly #platform: string;
  readonly #forwarded: Set<string>;
  #cursor: string | undefined;

  /**
   * Opens the file, or creates it if it does not exist.
   *
   * @param after the cursor to start after instead of the saved cursor; if it is passed, the saved ids are discarded
   * @throws {UsageError} if the file cannot be used, or belongs to a different platform
   */
  constructor(file: string, platform: string, after?: string) {
    this.#file = file;
    this.#platform = platform;
    const lines = after === undefined ? readLines(file) : [];
    const savedPlatform = lines.find((line) => "platform" in line)?.platform ?? platform;
    if (savedPlatform !== platform)
      throw new UsageError(`${file} contains the cursor for ${savedPlatform}. Choose another file with --cursor-file.`);
    this.#cursor = after ?? lines.findLast((line) => "cursor" in line)?.cursor;
    this.#forwarded = new Set(lines.flatMap((line) => ("forwarded" in line ? [line.forwarded] : [])).slice(-maxIds));
    this.#rewrite();
  }

  /** The cursor to read after; undefined at the start of the feed. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  hasForwarded(id: string): boolean {
    return this.#forwarded.has(id);
  }

  saveForwarded(id: string): void {
    if (this.#forwarded.has(id)) return;
    this.#forwarded.add(id);
    this.#write(() => appendFileSync(this.#file, serialiseLines([{ forwarded: id }])));
  }

  saveCursor(cursor: string): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#write(() => appendFileSync(this.#file, serialiseLines([{ cursor }])));
  }

  /** Rewrites the file without outdated lines. */
  #rewrite(): void {
    const lines: Line[] = [{ platform: this.#platform }];
    if (this.#cursor !== undefined) lines.push({ cursor: this.#cursor });
    for (const forwarded of this.#forwarded) lines.push({ forwarded });
    this.#write(() => {
      // Rename a complete file, because a crash could leave a half-written one.
      writeFileSync(`${this.#file}.new`, serialiseLines(lines));
      renameSync(`${this.#file}.new`, this.#file);
    });
  }

  /** Runs a function that changes the file. @throws {UsageError} if the file cannot be written */
  #write(change: () => void): void {
    try {
      change();
    } catch (cause) {
      throw new UsageError(
        `${this.#file} cannot be written (${(cause as NodeJS.ErrnoException).code}). Choose another file with --cursor-file.`,
      );
    }
  }
}

const serialiseLines = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** Reads the complete lines of the file. @returns an empty list if the file does not exist @throws {UsageError} if it cannot be used */
function readLines(file: string): Line[] {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new UsageError(`${file} cannot be read (${code}). Choose another file with --cursor-file.`);
  }
  // The last line is incomplete if the process was killed while writing it.
  const completeLines = text.slice(0, text.lastIndexOf("\n") + 1);
  try {
    const lines = completeLines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    if (lines.length === 0 || typeof lines[0]?.platform === "string") return lines;
  } catch {
    // Reported below, like JSON with the wrong shape.
  }
  throw new UsageError(`${file} was not written by offers listen. Choose another file with --cursor-file.`);
}

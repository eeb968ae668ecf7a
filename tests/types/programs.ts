import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";

/** Compiler options of a user who enables every check. */
export const strict = {
  target: "es2023",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
};

/** The file extension and the compiler options for each way to resolve modules. */
export const moduleSystems = {
  "nodenext, ES module": { extension: "mts", options: { module: "nodenext" } },
  // With verbatimModuleSyntax, the program would have to use `require`.
  "nodenext, CommonJS": { extension: "cts", options: { module: "nodenext", verbatimModuleSyntax: false } },
  bundler: { extension: "ts", options: { module: "esnext", moduleResolution: "bundler" } },
} as const;

/** Copies a program from `programs/` into a project, with this extension. @returns the file name */
export async function copyProgram(name: string, extension: string, folder: string): Promise<string> {
  const file = `${name}.${extension}`;
  await copyFile(join(import.meta.dirname, "programs", `${name}.mts`), join(folder, file));
  return file;
}

/** The sections of `programs/exports.mts`: a program for each entry point of the packages. */
export const exportPrograms = readFileSync(join(import.meta.dirname, "programs/exports.mts"), "utf8")
  .split(/^(?=\/\/ @offers\/)/m)
  .slice(1)
  .map((code) => ({ entry: /@\S+/.exec(code)?.[0] ?? "", code }));

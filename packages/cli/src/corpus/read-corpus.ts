import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Corpus, CorpusCase, CorpusGroup } from "./corpus.ts";

/** The build copies spec/corpus/ beside the bundle. The sources read it where it is. */
const candidates = ["corpus/", "../../../../spec/corpus/"].map((path) => new URL(path, import.meta.url));

/** @throws {Error} for an incomplete installation */
function findCorpusFolder(): URL {
  const folder = candidates.find((each) => existsSync(new URL("config.json", each)));
  if (!folder) throw new Error("The package's corpus is missing. Install @offers/cli again.");
  return folder;
}

/** The folder with the corpus's JSON files. */
export const corpusFolder: URL = findCorpusFolder();

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, corpusFolder), "utf8"));

const readGroups = (folder: string): CorpusGroup[] =>
  readdirSync(new URL(folder, corpusFolder))
    .sort()
    .map((file) => ({ name: file.replace(".json", ""), ...(readJson(folder + file) as { cases: CorpusCase[] }) }));

/** The whole corpus, a group for each file. */
export function readCorpus(): Corpus {
  return {
    config: readJson("config.json") as Corpus["config"],
    groups: readGroups("cases/"),
    standardWebhooks: readGroups("standard-webhooks/"),
  };
}

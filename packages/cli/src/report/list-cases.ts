import { readCorpus } from "../corpus/read-corpus.ts";
import type { Scheme } from "../corpus/scheme.ts";
import { groupsFor } from "../probe/probe.ts";

/** Prints every case of a scheme, a line for each. */
export function listCases(scheme: Scheme): void {
  for (const { cases } of groupsFor(readCorpus(), scheme))
    for (const { id, title } of cases) console.log(`${id}  ${title}`);
}

import { readGlossary } from "../../glossary/read-glossary.ts";

/** Prints the glossary as a page: each term with its meaning and a link to the file that defines it. */
export function printGlossary(root: string): string {
  const sections = Object.entries(readGlossary(root)).map(([title, entries]) => {
    const rows = entries.map(({ term, meaning, file, decision }) => {
      const decided = decision && `[${decision}](decisions.md#${decision.toLowerCase()})`;
      return `| ${term} | ${meaning} | [\`${file}\`](../${file})${decided ? `, ${decided}` : ""} |`;
    });
    return [`## ${title}\n`, "| Term | Meaning | Decided in |", "|---|---|---|", ...rows].join("\n");
  });
  return [
    '---\ntitle: Glossary\ndescription: "The terms of the project, each with its meaning and the file that decides it."\n---',
    "<!-- Made from spec/glossary.yaml. -->",
    "# Glossary",
    "Each term has one meaning in code, documentation and messages. A search for it in its file finds the rule.",
    ...sections,
    "",
  ].join("\n\n");
}

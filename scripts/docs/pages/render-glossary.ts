import { readGlossary } from "../../glossary/read-glossary.ts";

/** Renders the glossary page, which lists each term with its meaning and a link to the file that defines it. */
export function renderGlossary(root: string): string {
  const sections = Object.entries(readGlossary(root)).map(([title, entries]) => {
    const rows = entries.map(({ term, meaning, file, decision }) => {
      const decisionSuffix = decision ? `, [${decision}](decisions.md#${decision.toLowerCase()})` : "";
      return `| ${term} | ${meaning} | [\`${file}\`](../${file})${decisionSuffix} |`;
    });
    return [`## ${title}\n`, "| Term | Meaning | Defined in |", "|---|---|---|", ...rows].join("\n");
  });
  return [
    '---\ntitle: Glossary\ndescription: "The terms of the project, each with its meaning and the file that defines it."\n---',
    "<!-- Generated from spec/glossary.yaml. -->",
    "# Glossary",
    "Each term has the same meaning in code, documentation and messages. To find its rule, search for the term in the file.",
    ...sections,
    "",
  ].join("\n\n");
}

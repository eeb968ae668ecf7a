import { type Proof, readDecisions, readStatements } from "../../ci/contract.ts";

/** Renders a page that lists every statement in the contract with the tests that prove it. */
export function renderContract(root: string, proofs: readonly Proof[]): string {
  const decisions = Object.entries(readDecisions(root));
  const lines = [
    '---\ntitle: Contract coverage\ndescription: "Every statement in the contract with the tests that prove it."\n---',
    "<!-- Generated from spec/interface.md, spec/decisions.yaml and test titles. -->",
    "# Contract coverage",
    "This page lists every table row, sentence and list item in `spec/interface.md`. Each has a tag, which appears in the titles of its tests. If `spec/interface.md` leaves a question open, the page names our decision. `npm run check -- slow` runs the slow tests, and `npm test` runs all others.",
  ];
  let previousSection: string | undefined;
  for (const { section, tag, text } of readStatements(root)) {
    if (section !== previousSection) lines.push(`## ${section}`);
    previousSection = section;
    const tagDecisions = decisions.filter(([, decision]) => decision.interface.includes(tag));
    lines.push(
      `**${text}** \`[${tag}]\``,
      [
        ...tagDecisions.map(
          ([id, { question }]) => `- Decided in [${id}](decisions.md#${id.toLowerCase()}): ${question}`,
        ),
        ...listTests(tag, proofs),
      ].join("\n"),
    );
  }
  return `${lines.join("\n\n")}\n`;
}

/** Renders the page that lists all decisions. */
export function renderDecisions(root: string, proofs: readonly Proof[]): string {
  const entries = Object.entries(readDecisions(root)).map(([id, { question, evidence, choice, why, change }]) =>
    [
      `<a id="${id.toLowerCase()}"></a>\n\n## ${id}: ${question}`,
      `- **Evidence.** ${evidence}`,
      `- **Decision.** ${choice}`,
      `- **Rationale.** ${why}`,
      `- **How to change it.** ${change}`,
      `- **Tests**\n${listTests(id, proofs)
        .map((test) => `  ${test}`)
        .join("\n")}`,
    ].join("\n\n"),
  );
  return [
    '---\ntitle: Decisions\ndescription: "Unspecified behaviour and our decisions, each with its evidence, rationale and tests."\n---',
    "<!-- Generated from spec/decisions.yaml and test titles. -->",
    "# Decisions",
    "These are our decisions on behaviour that `spec/interface.md` does not specify, each with its evidence. The service documents none of it.",
    ...entries,
    "",
  ].join("\n\n");
}

/** Lists the tests that have the tag. A remark precedes them if all of them are slow. */
function listTests(tag: string, proofs: readonly Proof[]): string[] {
  const tagProofs = proofs.filter((proof) => proof.tag === tag);
  const items = tagProofs.map(({ test }) => `- ${test}`);
  const areAllTestsSlow = tagProofs.length > 0 && tagProofs.every(({ isSlow }) => isSlow);
  return areAllTestsSlow ? ["- **Proven only by slow tests**", ...items] : items;
}

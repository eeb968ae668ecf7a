import { type Proof, readDecisions, readStatements } from "../../ci/contract.ts";

/** Prints a page with every statement of the contract and the tests that prove it. */
export function printContract(root: string, proofs: readonly Proof[]): string {
  const decisions = Object.entries(readDecisions(root));
  const lines = [
    '---\ntitle: Contract coverage\ndescription: "Every statement of the contract with the tests that prove it."\n---',
    "<!-- Made from spec/interface.md, spec/decisions.yaml and the titles of tests. -->",
    "# Contract coverage",
    "Every table row, sentence and list item of `spec/interface.md`, with the tag that the titles of its tests carry, and with the decision where `spec/interface.md` leaves a question open. `npm run check -- slow` runs the slow tests, `npm test` all others.",
  ];
  let current: string | undefined;
  for (const { section, tag, text } of readStatements(root)) {
    if (section !== current) lines.push(`## ${section}`);
    current = section;
    const decided = decisions.filter(([, decision]) => decision.interface.includes(tag));
    lines.push(
      `**${text}** \`[${tag}]\``,
      [
        ...decided.map(([id, { question }]) => `- decided in [${id}](decisions.md#${id.toLowerCase()}): ${question}`),
        ...listTests(tag, proofs),
      ].join("\n"),
    );
  }
  return `${lines.join("\n\n")}\n`;
}

/** Prints the page of decisions. */
export function printDecisions(root: string, proofs: readonly Proof[]): string {
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
    "<!-- Made from spec/decisions.yaml and the titles of tests. -->",
    "# Decisions",
    "Unspecified behaviour and our decisions: what `spec/interface.md` does not show, decided on the evidence named. None of this is the service's documented behaviour.",
    ...entries,
    "",
  ].join("\n\n");
}

/** Lists the tests with a tag, and says if all of them are slow. */
function listTests(tag: string, proofs: readonly Proof[]): string[] {
  const own = proofs.filter((proof) => proof.tag === tag);
  const mark = own.length > 0 && own.every(({ isSlow }) => isSlow) ? ["- **proven by slow tests alone**"] : [];
  return [...mark, ...own.map(({ test }) => `- ${test}`)];
}

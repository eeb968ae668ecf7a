import type { CorpusGroup } from "../corpus/corpus.ts";
import { UsageError } from "../terminal/usage-error.ts";

/** The cases that `only` names and `skip` does not; each names a group, or a case as `group/case`. @throws {UsageError} for an unknown name */
export function selectCases(
  groups: readonly CorpusGroup[],
  only: readonly string[],
  skip: readonly string[],
): CorpusGroup[] {
  const known = new Set(groups.flatMap(({ name, cases }) => [name, ...cases.map(({ id }) => id)]));
  const unknown = [...only, ...skip].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no group or case ${JSON.stringify(unknown)}. The groups are ${groups.map(({ name }) => name).join(", ")}; offers probe --list prints the cases.`,
    );
  const isNamed = (names: readonly string[], group: string, id: string) => names.includes(group) || names.includes(id);
  return groups.map((group) => ({
    ...group,
    cases: group.cases.filter(
      ({ id }) => (only.length === 0 || isNamed(only, group.name, id)) && !isNamed(skip, group.name, id),
    ),
  }));
}

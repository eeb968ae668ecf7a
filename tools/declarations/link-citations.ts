/**
 * Links every decision that a docstring cites: a reader in an editor has no `docs/decisions.md` beside it.
 *
 * @param repository where the repository is read, such as `https://github.com/offers/offers`
 */
export const linkCitations = (declarations: string, repository: string): string =>
  declarations.replaceAll(
    /(?<![\w[-])D-\d{2,3}(?!\d)/g,
    (id) => `[${id}](${repository}/blob/main/docs/decisions.md#${id.toLowerCase()})`,
  );

/** Builds links in emails, for tests without a server. */
export const linkTo = (path: string): string => `https://offers.example${path}`;

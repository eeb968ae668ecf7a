/** Builds the links in emails in tests that run without a server. */
export const linkTo = (path: string): string => `https://offers.example${path}`;

/** The links in mails of tests without a server. */
export const linkTo = (path: string): string => `https://offers.example${path}`;

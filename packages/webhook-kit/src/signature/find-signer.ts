/**
 * The index of the first secret that signed, or -1. Every secret is tried, so that the time taken does not depend on which one
 * signed.
 */
export const findSigner = (secrets: readonly string[], hasSigned: (secret: string) => boolean): number =>
  secrets.map(hasSigned).indexOf(true);

const proofs = new Set(["authorization", "webhook-signature"]);

/** The digests and signatures among headers: `hmac 0A1B…` and `v1,c2ln… v1,b3Ro…` without the words before them. */
export const signaturesOf = (headers: Record<string, string>): string[] =>
  Object.entries(headers)
    .filter(([name]) => proofs.has(name.toLowerCase()))
    .flatMap(([, value]) => value.split(/[ ,]+/))
    .filter((part) => part !== "hmac" && part !== "v1");

/** Headers as they may be shown: of those that prove knowledge of a secret only the word that names their kind. */
export function redactSignatures(headers: Record<string, string>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => {
    if (!proofs.has(name.toLowerCase())) return [name, value];
    return [name, `${/^(?:hmac |v1,)/.exec(value)?.[0] ?? ""}***`];
  });
  return Object.fromEntries(shown);
}

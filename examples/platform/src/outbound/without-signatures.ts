const proofs = new Set(["authorization", "webhook-signature"]);

/** Headers as they may be shown: of those that prove knowledge of a secret only the word that names their kind. */
export function withoutSignatures(headers: Record<string, string>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => {
    if (!proofs.has(name.toLowerCase())) return [name, value];
    return [name, `${/^(?:hmac |v1,)/.exec(value)?.[0] ?? ""}***`];
  });
  return Object.fromEntries(shown);
}

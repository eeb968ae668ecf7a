const credentialHeaders = new Set(["authorization", "webhook-signature"]);

/** The digests and signatures in headers: those of `hmac 0A1B…` and `v1,c2ln… v1,b3Ro…`, without the scheme. */
export const signaturesOf = (headers: Record<string, string>): string[] =>
  Object.entries(headers)
    .filter(([name]) => credentialHeaders.has(name.toLowerCase()))
    .flatMap(([, value]) => value.split(/[ ,]+/))
    .filter((part) => part !== "hmac" && part !== "v1");

/** Headers that are safe to show: of a header with a signature, only its scheme. */
export function redactSignatures(headers: Record<string, string>): Record<string, string> {
  const redact = (value: string): string => `${/^(?:hmac |v1,)/.exec(value)?.[0] ?? ""}***`;
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, credentialHeaders.has(name.toLowerCase()) ? redact(value) : value]),
  );
}

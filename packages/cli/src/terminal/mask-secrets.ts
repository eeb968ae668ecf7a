/** Creates a function that replaces the secrets in a text, in either case and in base64 (D-102). */
export function maskSecrets(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = secrets.flatMap((secret) =>
    secret ? [secret, secret.toUpperCase(), secret.toLowerCase(), latin1(secret), base64(secret)] : [],
  );
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((masked, form) => masked.replaceAll(form, "<secret>"), text);
}

/** As a secret that is not ASCII appears in a text that was read byte by byte. */
const latin1 = (secret: string): string => Buffer.from(secret).toString("latin1");

const base64 = (secret: string): string => Buffer.from(secret).toString("base64");

/** Takes the API key out of a text that somebody else wrote. */
export type Redact = (text: string) => string;

export function redactKey(key: string): Redact {
  // As JSON writes it, too.
  const escaped = JSON.stringify(key).slice(1, -1);
  return (text) => text.replaceAll(escaped, "[redacted]").replaceAll(key, "[redacted]");
}

type Thrown = { code?: unknown; cause?: unknown } | null | undefined;

/** What was thrown, told anew: its author may have put the key anywhere in it. The code is the innermost that there is. */
export function retell(thrown: unknown, redact: Redact): Error & { code?: string } {
  const texts: string[] = [];
  let code: unknown;
  for (let inner = thrown as Thrown; inner && texts.length < 5; inner = inner.cause as Thrown) {
    texts.push(String(inner));
    code = inner.code ?? code;
  }
  return Object.assign(new Error(redact(texts.join("; "))), typeof code === "string" && { code: redact(code) });
}

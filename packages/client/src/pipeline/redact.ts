/** Takes the API key out of a text that somebody else wrote (D-49). */
export type Redact = (text: string) => string;

export function redactKey(key: string): Redact {
  // As JSON writes it, too.
  const escaped = JSON.stringify(key).slice(1, -1);
  return (text) => text.replaceAll(escaped, "[redacted]").replaceAll(key, "[redacted]");
}

type Thrown = { code?: unknown; syscall?: unknown; errors?: unknown; cause?: unknown } | null | undefined;

/**
 * What was thrown, told anew: its author may have put the key anywhere in it (D-49). The code is the innermost one, and
 * the system call the one that failed with it.
 */
export function retell(thrown: unknown, redact: Redact): Error & { code?: string; syscall?: string } {
  const texts: string[] = [];
  let code: string | undefined;
  let syscall: unknown;
  for (let inner = thrown as Thrown; inner && texts.length < 5; inner = inner.cause as Thrown) {
    texts.push(String(inner));
    if (typeof inner.code === "string") [code, syscall] = [inner.code, syscallOf(inner)];
  }
  return Object.assign(
    new Error(redact(texts.join("; "))),
    code !== undefined && { code: redact(code) },
    typeof syscall === "string" && { syscall: redact(syscall) },
  );
}

/** Of a name with several addresses, Node tells all tries in one error; only they know the call, if they agree. */
function syscallOf({ syscall, errors }: NonNullable<Thrown>): unknown {
  if (!Array.isArray(errors)) return syscall;
  const [first, ...others] = errors.map((tried: Thrown) => tried?.syscall);
  return others.every((other) => other === first) ? first : undefined;
}

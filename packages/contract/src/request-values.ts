type Problem = readonly [pattern: RegExp, problem: string];

const baseUrlProblems: readonly Problem[] = [
  // `URL` would silently remove white space, and a third slash before the host.
  [/\s/, "contains white space"],
  [/^(?!https?:\/\/[^/:])/i, "lacks https://"],
  [/^\w+:\/\/[^/?#\\]*@/, "contains credentials"],
  [/[?#]/, 'contains "?" or "#"'],
  [/^http:\/\/(?!(localhost|127\.[\d.]+|\[::1])(:|\/|$))/i, "uses http for another host"],
  [/^\w+:\/\/[^/]*:0+(\/|$)/, "is not a URL"],
];

/**
 * Returns what is wrong with a service's base URL, as the end of a sentence; undefined if it is valid. It must be https, or http on
 * loopback, without credentials, a query or a fragment. The sentence never contains the URL, because the URL may contain a password.
 */
export function findBaseUrlProblem(url: unknown): string | undefined {
  const text = String(url);
  const problem = findProblem(baseUrlProblems, text) ?? (URL.canParse(text) ? undefined : "is not a URL");
  return findUnsetProblem(url) ?? (problem && `${problem}; it must be https, or http on loopback`);
}

// `fetch` rejects the same values, but its message contains them.
const headerValueProblems: readonly Problem[] = [
  [/^\s|\s$/, "has white space around it"],
  [/[^ -~]/, "is not printable ASCII"],
];

/**
 * Returns what is wrong with a header value, as the end of a sentence; undefined if it is valid. It must be printable ASCII, not empty and
 * without white space around it. The sentence never contains the value, because it may be a secret.
 */
export function findHeaderValueProblem(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return findProblem(headerValueProblems, value);
  return findUnsetProblem(value) ?? "must be a string";
}

/** Returns what is wrong with a value that is null, undefined or empty; undefined for any other value. */
function findUnsetProblem(value: unknown): string | undefined {
  return (value ?? "") === "" ? `is ${JSON.stringify(value)}; is the environment variable set?` : undefined;
}

const findProblem = (problems: readonly Problem[], text: string): string | undefined =>
  problems.find(([pattern]) => pattern.test(text))?.[1];

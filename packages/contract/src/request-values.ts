type Problem = readonly [pattern: RegExp, problem: string];

const baseUrlProblems: readonly Problem[] = [
  // `URL` would drop white space, and a third slash before the host.
  [/\s/, "contains white space"],
  [/^(?!https?:\/\/[^/:])/i, "lacks https://"],
  [/@/, "contains credentials"],
  [/[?#]/, "contains ? or #"],
  [/^http:\/\/(?!(localhost|127\.[\d.]+|\[::1])(:|\/|$))/i, "uses http for another host"],
  [/^\w+:\/\/[^/]*:0+(\/|$)/, "is not a URL"],
];

/**
 * Returns what is wrong with a service's base URL, as the end of a sentence; undefined if it is valid. It must be https, or http on
 * loopback. The sentence never shows the URL: it may contain a password.
 */
export function baseUrlProblem(url: unknown): string | undefined {
  const text = String(url);
  const problem = problemIn(baseUrlProblems, text) ?? (URL.canParse(text) ? undefined : "is not a URL");
  return unsetProblem(url) ?? (problem && `${problem}; it must be https, or http on loopback`);
}

// `fetch` rejects the same values, with a message that shows them.
const headerValueProblems: readonly Problem[] = [
  [/^\s|\s$/, "has white space around it"],
  [/[^ -~]/, "is not printable ASCII"],
];

/**
 * Returns what is wrong with a header's value, as the end of a sentence; undefined if it is valid. It must be printable ASCII. The sentence
 * never shows the value: it may be a secret.
 */
export function headerValueProblem(value: unknown): string | undefined {
  return (
    unsetProblem(value) ?? (typeof value === "string" ? problemIn(headerValueProblems, value) : "must be a string")
  );
}

const unsetProblem = (value: unknown): string | undefined =>
  (value ?? "") === "" ? `is ${JSON.stringify(value)}; is the environment variable set?` : undefined;

const problemIn = (problems: readonly Problem[], text: string): string | undefined =>
  problems.find(([pattern]) => pattern.test(text))?.[1];

import type { Scheme } from "../signature/sign-request.ts";
import type { TestRequest } from "./ways.ts";

/**
 * Returns a POSIX shell command that sends a test event with curl. It signs with `WEBHOOK_SECRET` when it runs, so it contains neither the
 * secret nor a signature that a receiver would accept. A time in the past or the future is written as a literal.
 */
export function toShellCommand(request: TestRequest, baseUrl: string, scheme: Scheme): string {
  const { method, path, headers, body, signedBody = body } = request;
  const headerOptions = headers.map(({ name, value, shell }) =>
    shell === undefined ? `-H ${quote(`${name}: ${value}`)}` : `-H "${name}: ${shell}"`,
  );
  const url = quote(`${baseUrl.replace(/\/+$/, "")}${path}`);
  const sentBody = body === signedBody && body.length > 0 ? '"$body"' : quote(body.toString());
  const bodyOptions = body.length > 0 || method !== "GET" ? [`--data-binary ${sentBody}`] : [];
  const curl = [`curl -i -X ${method}`, ...headerOptions, ...bodyOptions, url].join(" \\\n  ");
  return [...formatDefinitions(request, scheme), curl].join("\n");
}

/** Returns the lines that define the shell variables and functions for the headers and the body. */
function formatDefinitions({ headers, body, signedBody = body }: TestRequest, scheme: Scheme): string[] {
  const shellTexts = headers.map(({ shell = "" }) => shell).join("\n");
  const id = headers.find(({ name }) => name === "webhook-id")?.value ?? "";
  const lines: string[] = [];
  if (/\$now\b/.test(shellTexts)) lines.push("now=$(date -u +%Y-%m-%dT%H:%M:%SZ)");
  if (/\$minute\b/.test(shellTexts)) lines.push("minute=$(date -u +%Y-%m-%dT%H:%MZ)");
  if (/\$seconds\b/.test(shellTexts)) lines.push("seconds=$(date +%s)");
  const signsBody = scheme === "standardWebhooks" && shellTexts.includes("$(sign ");
  // An empty body is set too, because the shell may still contain the body of an earlier command.
  if (body.length > 0 || signsBody) lines.push(`body=${quote(signedBody.toString())}`);
  if (shellTexts.includes("$(digest "))
    lines.push(`digest() { printf %s "$1$WEBHOOK_SECRET" | openssl dgst -sha256 -r | cut -c1-64 | tr a-f A-F; }`);
  if (signsBody)
    lines.push(
      `key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
      `sign() { printf %s "${id}.$1.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A; }`,
    );
  return lines;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

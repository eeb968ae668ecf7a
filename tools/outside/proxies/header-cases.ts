import type { Case, Outcome, Sent } from "./cases.ts";
import { add, type Draft, replace, without, write } from "./raw-request.ts";

/** A case that changes a valid request. */
export const changed = (
  name: string,
  outcome: Outcome,
  change: (draft: Draft) => Draft,
  how: Partial<Sent> & { length?: number } = {},
): Case => ({
  name,
  async build({ draft }) {
    const { length, ...rest } = how;
    const made = await draft(length);
    return { parts: [write(change(made))], outcomes: new Map([[made.marker, outcome]]), ...rest };
  },
});

/** The same change of each header that proves who sends. */
const eachCredential = (name: string, outcome: Outcome, change: (line: string) => readonly string[]): Case[] =>
  [0, 1, 2].map((index) => ({
    name: `${name} (credential ${index + 1})`,
    async build({ draft, credentials }) {
      const credential = credentials[index];
      if (credential === undefined) return undefined;
      const made = await draft();
      return {
        parts: [write(replace(made, credential, change))],
        outcomes: new Map([[made.marker, outcome]]),
      };
    },
  }));

const textOf = (line: string): string => line.slice(line.indexOf(":") + 1).trim();
const nameOf = (line: string): string => line.slice(0, line.indexOf(":"));
const long = (length: number): string => "x".repeat(length);

export const headerCases: readonly Case[] = [
  ...eachCredential("a credential twice", "refused", (line) => [line, line]),
  ...eachCredential("a false credential after the true one", "refused", (line) => [line, `${nameOf(line)}: false`]),
  ...eachCredential("a false credential before the true one", "refused", (line) => [`${nameOf(line)}: false`, line]),
  ...eachCredential("an empty credential after the true one", "either", (line) => [line, `${nameOf(line)}:`]),
  ...eachCredential("a credential twice in one line", "refused", (line) => [`${line}, ${textOf(line)}`]),
  ...eachCredential("without a credential", "refused", () => []),
  ...eachCredential("an empty credential", "refused", (line) => [`${nameOf(line)}:`]),
  ...eachCredential("a folded credential", "either", (line) => [`${nameOf(line)}:`, ` ${textOf(line)}`]),
  ...eachCredential("a fold after a credential", "either", (line) => [line, "\t"]),
  ...eachCredential("a fold with another value after a credential", "refused", (line) => [line, " false"]),
  ...eachCredential("a space before the colon", "either", (line) => [line.replace(":", " :")]),
  ...eachCredential("a tab before the colon", "either", (line) => [line.replace(":", "\t:")]),
  ...eachCredential("a space before the name", "either", (line) => [` ${line}`]),
  ...eachCredential("white space around the value", "effect", (line) => [`${nameOf(line)}: \t ${textOf(line)} \t`]),
  ...eachCredential("no space after the colon", "effect", (line) => [`${nameOf(line)}:${textOf(line)}`]),
  ...eachCredential("a name in capitals", "effect", (line) => [`${nameOf(line).toUpperCase()}: ${textOf(line)}`]),
  ...eachCredential("a name with underscores", "either", (line) => [line.replaceAll("-", "_")]),
  ...eachCredential("a NUL in the value", "refused", (line) => [`${line}\0`]),
  ...eachCredential("a bare CR in the value", "refused", (line) => [`${line}\rX: y`]),
  ...eachCredential("a bare CR before the name", "either", (line) => [`X: y\r${line}`]),
  ...eachCredential("a bare LF at the end", "either", (line) => [`${line}\nX: y`]),
  ...eachCredential("a byte beyond ASCII in the value", "refused", (line) => [`${line}\xe9`]),
  ...eachCredential("named as a header of the connection", "either", (line) => [line, `Connection: ${nameOf(line)}`]),
  ...eachCredential("in a second Connection header", "either", (line) => [line, `connection: close, ${nameOf(line)}`]),
  ...eachCredential("only as a trailer", "refused", (line) => [`Trailer: ${nameOf(line)}`]),

  changed("a folded header that nobody reads", "either", (draft) => add(draft, "X-Note: a", " b", "\tc")),
  changed("a fold before the first header", "refused", (draft) => ({ ...draft, headers: [" X: y", ...draft.headers] })),
  changed("a line without a colon", "either", (draft) => add(draft, "nonsense")),
  changed("an empty name", "refused", (draft) => add(draft, ": value")),
  changed("a space in a name", "refused", (draft) => add(draft, "X Y: z")),
  changed("brackets in a name", "either", (draft) => add(draft, "X(Y): z")),
  changed("a Latin-1 value", "effect", (draft) => add(draft, "X-Note: caf\xe9")),
  changed("a control character in a value", "either", (draft) => add(draft, "X-Note: a\x01b")),
  ...[4, 7, 12, 15].map((kibibytes) =>
    changed(`a header of ${kibibytes} KiB`, "either", (draft) => add(draft, `X-Long: ${long(kibibytes * 1024)}`)),
  ),
  ...[17, 40, 70, 1_000].map((kibibytes) =>
    changed(`a header of ${kibibytes} KiB`, "refused", (draft) => add(draft, `X-Long: ${long(kibibytes * 1024)}`)),
  ),
  changed("a name of 20 KiB", "refused", (draft) => add(draft, `X-${long(20_480)}: y`)),
  changed("60 headers", "effect", (draft) => add(draft, ...Array.from({ length: 60 }, (_, index) => `X-${index}: y`))),
  ...[150, 1_900, 5_000].map((count) =>
    changed(`${count} headers`, "either", (draft) =>
      add(draft, ...Array.from({ length: count }, (_, index) => `X-${index}: y`)),
    ),
  ),
  changed("1,990 headers before the signature", "either", (draft) => ({
    ...draft,
    headers: [...Array.from({ length: 1_990 }, () => "X: y"), ...draft.headers],
  })),

  changed("no Host", "refused", (draft) => without(draft, "Host")),
  changed("an empty Host", "either", (draft) => replace(draft, "Host", () => ["Host:"])),
  // RFC 9112, section 3.2, asks for 400. Node takes the first; neither kit nor platform decides anything by a Host that it does not check.
  changed("two Hosts", "either", (draft) => replace(draft, "Host", (line) => [line, "Host: other.example"])),
  changed("a Host with a path", "either", (draft) => replace(draft, "Host", () => ["Host: localhost/offers"])),
  changed("a Host with a space", "either", (draft) => replace(draft, "Host", () => ["Host: local host"])),
  changed("Content-Type twice", "either", (draft) => add(draft, "Content-Type: text/plain")),
  changed("a body that claims to be gzip", "refused", (draft) => add(draft, "Content-Encoding: gzip")),
  changed("a method in another header", "effect", (draft) => add(draft, "X-HTTP-Method-Override: DELETE")),
  changed("a rewritten path in a header", "effect", (draft) =>
    add(draft, "X-Original-URL: /admin", "X-Rewrite-URL: /admin"),
  ),
  changed("forged X-Forwarded headers", "effect", (draft) =>
    add(
      draft,
      "X-Forwarded-For: 1.2.3.4, 5.6.7.8",
      "X-Forwarded-Host: evil.example",
      "X-Forwarded-Proto: https",
      "Forwarded: for=1.2.3.4",
    ),
  ),
  changed("Connection names Content-Length", "either", (draft) =>
    replace(draft, "Connection", () => ["Connection: close, Content-Length"]),
  ),
  changed("Connection names Host", "either", (draft) =>
    replace(draft, "Connection", () => ["Connection: close, Host"]),
  ),
  changed("Keep-Alive and Proxy-Connection", "effect", (draft) =>
    add(draft, "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive"),
  ),
  changed("TE: trailers", "effect", (draft) => add(draft, "TE: trailers")),
  changed("Max-Forwards: 0", "either", (draft) => add(draft, "Max-Forwards: 0")),
  changed("a Range", "effect", (draft) => add(draft, "Range: bytes=0-1")),

  changed("Upgrade: h2c", "effect", (draft) =>
    add(
      replace(draft, "Connection", () => ["Connection: Upgrade, HTTP2-Settings"]),
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    ),
  ),
  changed("Upgrade: websocket", "effect", (draft) =>
    add(
      replace(draft, "Connection", () => ["Connection: Upgrade"]),
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ),
  ),
  changed("Upgrade without Connection", "effect", (draft) => add(draft, "Upgrade: h2c")),
  changed("Expect: 100-continue, and the body at once", "effect", (draft) => add(draft, "Expect: 100-continue")),
  changed("Expect: 100-continue twice", "either", (draft) =>
    add(draft, "Expect: 100-continue", "Expect: 100-continue"),
  ),
  changed("another expectation", "either", (draft) => add(draft, "Expect: 200-ok")),
  {
    name: "Expect: 100-continue, and the body after a while",
    async build({ draft }) {
      const made = await draft(20_000);
      const bytes = write(add(made, "Expect: 100-continue"));
      const head = bytes.length - made.body.length;
      return { parts: [bytes.subarray(0, head), bytes.subarray(head)], outcomes: new Map([[made.marker, "effect"]]) };
    },
  },
  {
    name: "Expect: 100-continue without a credential, and never a body",
    async build({ draft, credentials }) {
      const made = await draft(20_000);
      const bytes = write(add(without(made, credentials.at(-1) ?? ""), "Expect: 100-continue"));
      const parts = [bytes.subarray(0, bytes.length - made.body.length)];
      return { parts, outcomes: new Map([[made.marker, "dropped"]]) };
    },
  },
  {
    name: "every line ends with a bare LF",
    async build({ draft }) {
      const made = await draft();
      return { parts: [write(made, "\n")], outcomes: new Map([[made.marker, "either"]]) };
    },
  },
];

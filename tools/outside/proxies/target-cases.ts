import type { Case, Outcome } from "./cases.ts";
import { changed } from "./header-cases.ts";
import { type Draft, replace, without, write } from "./raw-request.ts";

/** Another target. `P` stands for the true path, `/A/B` for its two halves. */
const targeted = (shape: string, outcome: Outcome): Case =>
  changed(`the target ${shape.length > 60 ? `${shape.slice(0, 60)}…` : shape}`, outcome, (draft) => {
    const [, first = "", ...rest] = draft.target.split("/");
    return { ...draft, target: shape.replace("P", draft.target).replace("A", first).replace("B", rest.join("/")) };
  });

const inPath = (encoded: string, outcome: Outcome): Case => ({
  name: `${encoded} in the path`,
  async build({ draftInPath }) {
    const made = await draftInPath(encoded);
    return made && { parts: [write(made)], outcomes: new Map([[made.marker, outcome]]) };
  },
});

const asVersion = (version: string, outcome: Outcome, change = (draft: Draft) => draft): Case =>
  changed(`${version}${change === dropHost ? " without Host" : ""}`, outcome, (draft) => change({ ...draft, version }));

function dropHost(draft: Draft): Draft {
  return without(draft, "Host");
}

export const targetCases: readonly Case[] = [
  targeted("http://localhostP", "effect"),
  targeted("http://other.exampleP", "either"),
  targeted("HTTP://localhost:80P", "either"),
  targeted("https://localhostP", "either"),
  targeted("http://user:password@localhostP", "either"),
  targeted("http://localhost", "refused"),
  targeted("ftp://localhostP", "either"),
  targeted("//localhostP", "either"),
  targeted("localhost:80", "refused"),
  targeted("*", "refused"),
  targeted("", "refused"),
  targeted("P?api-version=1.0&x=%2e%2e/", "either"),
  targeted("P#fragment", "either"),
  targeted("P?", "either"),
  targeted("P/", "either"),
  targeted("/P", "either"),
  targeted("///P", "either"),
  targeted("/./A/B", "either"),
  targeted("/x/../A/B", "either"),
  targeted("/x/%2e%2e/A/B", "either"),
  targeted("/x/.%2E/A/B", "either"),
  targeted("/x%2f..%2fA/B", "either"),
  targeted("/../A/B", "either"),
  targeted("/../../../../A/B", "either"),
  targeted("P/../admin", "refused"),
  targeted("P/%2e%2e/admin", "refused"),
  targeted("P%2f..%2fadmin", "refused"),
  targeted("P/..%2fadmin", "refused"),
  targeted("P/..;/admin", "refused"),
  targeted("P;x=y", "refused"),
  targeted("\\A\\B", "refused"),
  targeted("/A\\B", "either"),
  targeted("P%00", "refused"),
  targeted("P%0d%0aX:%20y", "refused"),
  targeted("P%", "refused"),
  targeted("P%zz", "refused"),
  targeted("P%c0%af", "refused"),
  targeted("P%20", "refused"),
  targeted("P x", "refused"),
  targeted("P\tx", "refused"),
  targeted("P\0", "refused"),
  targeted("P\xe9", "refused"),
  targeted("/%41/B", "refused"),
  targeted(`P?${"x".repeat(7_000)}`, "either"),
  targeted(`P?${"x".repeat(70_000)}`, "refused"),
  changed("an encoded letter in the path", "either", (draft) => ({
    ...draft,
    target: draft.target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  })),
  changed("the path in capitals", "either", (draft) => ({ ...draft, target: draft.target.toUpperCase() })),

  inPath("", "effect"),
  inPath("-w%C3%B6rker-%E6%BC%A2%F0%9F%98%80", "effect"),
  inPath("%20%26%3F%23%25", "effect"),
  inPath("%2Fx", "effect"),
  inPath("%2F..%2F..%2Ftest", "either"),
  inPath("%5C..%5Cx", "effect"),
  inPath("+%2B", "effect"),
  inPath("%252F", "effect"),
  inPath(";x=y", "effect"),
  inPath("%00", "either"),
  inPath("%0D%0AX:%20y", "either"),

  asVersion("HTTP/1.0", "effect"),
  asVersion("HTTP/1.0", "either", dropHost),
  changed("HTTP/1.0 with keep-alive", "effect", (draft) => ({
    ...replace(draft, "Connection", () => ["Connection: keep-alive"]),
    version: "HTTP/1.0",
  })),
  ...[
    "HTTP/1.2",
    "HTTP/1.9",
    "HTTP/2.0",
    "HTTP/3.0",
    "HTTP/0.9",
    "HTTP/11",
    "http/1.1",
    "HTTPS/1.1",
    "HTTP/1.10",
    "FTP/1.1",
  ].map((version) => asVersion(version, "either")),
  {
    name: "HTTP/0.9",
    async build({ draft }) {
      const made = await draft();
      const parts = [Buffer.from(`GET ${made.target}\r\n`)];
      return { parts, outcomes: new Map([[made.marker, "dropped"]]), patienceMs: 400 };
    },
  },
  {
    name: "the preface of HTTP/2",
    async build({ draft }) {
      const made = await draft();
      const parts = [Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), write(made)];
      return { parts, outcomes: new Map([[made.marker, "dropped"]]), patienceMs: 400 };
    },
  },
  {
    name: "a hello of TLS",
    async build({ draft }) {
      const made = await draft();
      const parts = [Buffer.from("160301002f0100002b0303", "hex"), write(made)];
      return { parts, outcomes: new Map([[made.marker, "dropped"]]), patienceMs: 400 };
    },
  },
  ...["\r\n", "\n", "\r\n\r\n\r\n", " ", "\0", "\xef\xbb\xbf"].map(
    (before): Case => ({
      name: `${JSON.stringify(before)} before the request`,
      async build({ draft }) {
        const made = await draft();
        const parts = [Buffer.concat([Buffer.from(before, "latin1"), write(made)])];
        return { parts, outcomes: new Map([[made.marker, "dropped"]]), patienceMs: 400 };
      },
    }),
  ),
  ...[
    "post",
    "Post",
    "GET",
    "HEAD",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PATCH",
    "QUERY",
    "PURGE",
    "M-SEARCH",
    "X",
    "PO ST",
    "PO\tST",
    "\x00POST",
  ].map((method) => changed(`the method ${JSON.stringify(method)}`, "refused", (draft) => ({ ...draft, method }))),
  changed("two spaces in the request line", "either", (draft) => ({ ...draft, method: `${draft.method} ` })),
  changed("a tab in the request line", "either", (draft) => ({ ...draft, version: `\t${draft.version}` })),
  changed("a space after the request line", "either", (draft) => ({ ...draft, version: `${draft.version} ` })),
];

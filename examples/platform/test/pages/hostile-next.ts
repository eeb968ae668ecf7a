import { fc } from "../../../../tools/property-seed.ts";

/** Paths that URL parsers, proxies and frameworks read differently, and paths that leave the site once decoded twice. */
const pieces = [
  ...[
    "/",
    "//",
    "///",
    "\\",
    "/\\",
    "\\/",
    ".",
    "..",
    "/.",
    "/..",
    "/./",
    "/../",
    "/.//",
    "/..//",
    ";",
    ":",
    "@",
    "?",
    "#",
    "&",
    "=",
  ],
  ...[
    "%2F",
    "%2f",
    "%5C",
    "%5c",
    "%2E",
    "%2e%2e",
    "%252F",
    "%255C",
    "%25",
    "%00",
    "%09",
    "%0A",
    "%0d%0a",
    "%40",
    "%",
    "%zz",
  ],
  ...["\t", "\n", "\r", "\r\n", "\0", " ", "\u00a0", "\u0085", "\u2028", "\u200b", "\u202e", "\ufeff", "\ud800"],
  ...["／", "＼", "．", "。", "｡", "：", "＠", "\u2044", "\u2215", "\u29f5", "ｅvil.example", "ö", "厨房", "℀", "ß"],
  ...[
    "http:",
    "https:",
    "HTTP:",
    "http://",
    "https://",
    "http:/",
    "https:\\\\",
    "javascript:",
    "data:",
    "blob:",
    "file://",
    "mailto:",
  ],
  ...["localhost", "127.0.0.1", "[::1]", "0", "evil.example", "evil.example:80", "user@", "user:pw@", "offers.example"],
  ...[
    "sign-in",
    "app",
    "portal",
    "offers",
    "invitations",
    "next=",
    "?next=//evil.example",
    "<",
    ">",
    '"',
    "'",
    "`",
    "|",
    "^",
    "{",
    "[",
    "]",
  ],
];

/**
 * Any text as `next`, mostly made of pieces of known open redirects.
 *
 * @param ownHosts the platform's own host names, which an attacker may know
 */
export function hostileNext(ownHosts: readonly string[]): fc.Arbitrary<string> {
  const own = ownHosts.flatMap((host) => [host, `//${host}`, `http://${host}`, `https://${host}`, `//user@${host}`]);
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...pieces, ...own) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
  );
  const layers = fc.array(fc.constantFrom(...own, "//localhost", "//evil.example", "/", "/.", "/..", "\\"), {
    maxLength: 6,
  });
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.array(piece, { maxLength: 10 }).map((all) => all.join("")) },
    { weight: 3, arbitrary: fc.array(piece, { maxLength: 8 }).map((all) => `/${all.join("")}`) },
    { weight: 2, arbitrary: layers.map((all) => `${all.join("/")}//evil.example/portal`) },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  );
  // Half of a surrogate pair cannot be sent: UTF-8 has none.
  return text.map((given) => Buffer.from(given).toString());
}

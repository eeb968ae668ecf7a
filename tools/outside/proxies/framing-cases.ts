import type { Case, Outcome } from "./cases.ts";
import { changed } from "./header-cases.ts";
import { add, chunked, chunks, type Draft, replace, without, write } from "./raw-request.ts";

const withLength = (draft: Draft, ...lines: string[]): Draft => replace(draft, "Content-Length", () => lines);
const length = (draft: Draft): number => draft.body.length;

/** A chunked body whose chunks are written another way. */
const chunkedAs = (name: string, outcome: Outcome, body: (bytes: Buffer) => Buffer | string): Case =>
  changed(name, outcome, (draft) => chunked(draft, body(draft.body)));

/** `Transfer-Encoding` in this spelling beside the true `Content-Length`; the body is chunked or plain. */
const beside = (lines: readonly string[], body: "chunks" | "plain"): Case =>
  changed(
    `${JSON.stringify(lines)} beside Content-Length, body in ${body}`,
    body === "plain" ? "dropped" : "either",
    (draft) => {
      const bytes = body === "chunks" ? chunks(draft.body) : draft.body;
      return { ...withLength(add(draft, ...lines), `Content-Length: ${bytes.length}`), body: bytes };
    },
  );

const codings = [
  ["Transfer-Encoding: chunked"],
  ["Transfer-Encoding: Chunked"],
  ["Transfer-Encoding : chunked"],
  ["Transfer-Encoding:\tchunked"],
  ["Transfer-Encoding: \x0bchunked"],
  ["Transfer-Encoding: chunked\x0c"],
  ["Transfer-Encoding:", " chunked"],
  ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
  ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked, identity"],
  ["Transfer-Encoding: identity, chunked"],
  ["Transfer-Encoding: gzip, chunked"],
  ["Transfer-Encoding: chunked, chunked"],
  ["Transfer-Encoding: identity"],
  ["Transfer-Encoding: xchunked"],
  ["Transfer-Encoding: chunkedx"],
  ['Transfer-Encoding: "chunked"'],
  ["Transfer-Encoding: chunked;q=1"],
  ["Transfer-Encoding: ,chunked"],
  ["Transfer-Encoding: chunked,"],
  ["Transfer-Encoding:"],
  ["Transfer_Encoding: chunked"],
  ["Transfer-Encoding\0: chunked"],
  ["X: y\nTransfer-Encoding: chunked"],
  ["X: y\rTransfer-Encoding: chunked"],
  [" Transfer-Encoding: chunked"],
] as const;

/** A second request hides where one of two readers sees the first one end. */
const hidden = (name: string, hide: (outer: Draft, inner: Buffer) => Draft): Case => ({
  name: `a request hidden ${name}`,
  async build({ draft }) {
    const [outer, inner] = [await draft(), await draft()];
    const parts = [
      write(
        hide(
          replace(outer, "Connection", () => ["Connection: keep-alive"]),
          write(inner),
        ),
      ),
    ];
    const outcomes = new Map<string, Outcome>([
      [outer.marker, "dropped"],
      [inner.marker, "dropped"],
    ]);
    return { parts, outcomes, responses: 2, patienceMs: 300 };
  },
});

const hiddenCases: readonly Case[] = [
  ...codings.flatMap((lines) => [
    hidden(`after the last chunk, Content-Length counts both: ${JSON.stringify(lines)}`, (outer, inner) => {
      const body = Buffer.concat([chunks(outer.body), inner]);
      return { ...withLength(add(outer, ...lines), `Content-Length: ${body.length}`), body };
    }),
    hidden(`after Content-Length, within a chunk: ${JSON.stringify(lines)}`, (outer, inner) => {
      const first = `${(length(outer) + inner.length).toString(16)}\r\n`;
      const body = Buffer.concat([Buffer.from(first), outer.body, inner, Buffer.from("\r\n0\r\n\r\n")]);
      return { ...withLength(add(outer, ...lines), `Content-Length: ${first.length + length(outer)}`), body };
    }),
    hidden(`after chunks, without Content-Length: ${JSON.stringify(lines)}`, (outer, inner) => ({
      ...add(without(outer, "Content-Length"), ...lines),
      body: Buffer.concat([chunks(outer.body), inner]),
    })),
  ]),
  hidden("behind the smaller of two lengths", (outer, inner) => ({
    ...withLength(outer, `Content-Length: ${length(outer)}`, `Content-Length: ${length(outer) + inner.length}`),
    body: Buffer.concat([outer.body, inner]),
  })),
  hidden("behind the smaller of two lengths, the larger first", (outer, inner) => ({
    ...withLength(outer, `Content-Length: ${length(outer) + inner.length}`, `Content-Length: ${length(outer)}`),
    body: Buffer.concat([outer.body, inner]),
  })),
  hidden("behind a length of 0", (outer, inner) => ({ ...withLength(outer, "Content-Length: 0"), body: inner })),
  hidden("behind a length that the connection header removes", (outer, inner) => ({
    ...replace(outer, "Connection", () => ["Connection: keep-alive, Content-Length"]),
    body: Buffer.concat([outer.body, inner]),
  })),
  hidden("in the body of a GET", (outer, inner) => ({
    ...withLength(outer, `Content-Length: ${inner.length}`),
    method: "GET",
    body: inner,
  })),
  hidden("in the body of a HEAD", (outer, inner) => ({
    ...withLength(outer, `Content-Length: ${inner.length}`),
    method: "HEAD",
    body: inner,
  })),
  hidden("in a chunk extension with a bare LF", (outer, inner) =>
    chunked(outer, Buffer.concat([chunks(outer.body, { pieces: 1, extension: ";a=\nb" }), inner])),
  ),
  hidden("in trailers", (outer, inner) =>
    chunked(
      outer,
      chunks(outer.body, { trailers: inner.toString("latin1").split("\r\n\r\n")[0]?.split("\r\n") ?? [] }),
    ),
  ),
  hidden("behind an upgrade", (outer, inner) => ({
    ...add(
      replace(outer, "Connection", () => ["Connection: Upgrade"]),
      "Upgrade: h2c",
    ),
    body: Buffer.concat([outer.body, inner]),
  })),
  hidden("behind an expectation", (outer, inner) => ({
    ...add(outer, "Expect: 100-continue"),
    body: Buffer.concat([outer.body, inner]),
  })),
  hidden("behind HTTP/1.0 with Transfer-Encoding", (outer, inner) => ({
    ...chunked(outer, Buffer.concat([chunks(outer.body), inner])),
    version: "HTTP/1.0",
  })),
];

export const framingCases: readonly Case[] = [
  ...codings.flatMap((lines) => [beside(lines, "chunks"), beside(lines, "plain")]),
  ...hiddenCases,

  changed("Content-Length twice, the same", "either", (draft) => add(draft, `Content-Length: ${length(draft)}`)),
  ...["+N", "N,N", "N, N", "0xN", "-N", "N.0", "Ne0", "0000000000N", " N ", "N N", "", "99999999999999999999"].map(
    (shape) =>
      changed(
        `Content-Length: ${shape}`,
        "dropped",
        (draft) => withLength(draft, `Content-Length: ${shape.replaceAll("N", String(length(draft)))}`),
        { patienceMs: 400 },
      ),
  ),
  changed("a length one too small", "dropped", (draft) => withLength(draft, `Content-Length: ${length(draft) - 1}`)),
  changed(
    "a length one too large, and the end",
    "dropped",
    (draft) => withLength(draft, `Content-Length: ${length(draft) + 1}`),
    {
      halfClose: true,
      patienceMs: 400,
    },
  ),
  changed("a POST without a length", "refused", (draft) => without(draft, "Content-Length")),

  chunkedAs("chunks", "effect", (body) => chunks(body)),
  chunkedAs("a chunk for each byte", "effect", (body) => chunks(body, { pieces: body.length })),
  chunkedAs("chunk extensions", "effect", (body) => chunks(body, { extension: ";name=value" })),
  chunkedAs("a quoted chunk extension", "either", (body) => chunks(body, { extension: ';name="a b"' })),
  chunkedAs("a chunk extension of 20 KiB", "either", (body) => chunks(body, { extension: `;${"x".repeat(20_480)}` })),
  chunkedAs("a chunk extension with a bare LF", "either", (body) => chunks(body, { extension: ";a\nb" })),
  chunkedAs("a chunk extension with a bare CR", "either", (body) => chunks(body, { extension: ";a\rb" })),
  chunkedAs("a space after the size", "either", (body) => chunks(body, { extension: " " })),
  chunkedAs("trailers", "effect", (body) => chunks(body, { trailers: ["X-Checksum: 1"] })),
  chunkedAs("a length in trailers", "either", (body) => chunks(body, { trailers: ["Content-Length: 3"] })),
  chunkedAs("Transfer-Encoding in trailers", "either", (body) =>
    chunks(body, { trailers: ["Transfer-Encoding: chunked"] }),
  ),
  chunkedAs("a folded trailer", "either", (body) => chunks(body, { trailers: ["X: y", " z"] })),
  chunkedAs("trailers of 100 KiB", "either", (body) => chunks(body, { trailers: [`X: ${"x".repeat(102_400)}`] })),
  chunkedAs("500 trailers", "either", (body) => chunks(body, { trailers: Array.from({ length: 500 }, () => "X: y") })),
  chunkedAs(
    "chunk lines that end with a bare LF",
    "either",
    (body) => `${body.length.toString(16)}\n${body.toString("latin1")}\n0\n\n`,
  ),
  chunkedAs(
    "a size with 0x",
    "refused",
    (body) => `0x${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  ),
  chunkedAs(
    "a negative size",
    "refused",
    (body) => `-${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  ),
  chunkedAs(
    "a size with zeros before it",
    "either",
    (body) => `0000000${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  ),
  chunkedAs(
    "a size beyond 64 bits",
    "refused",
    (body) => `10000000000000000${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  ),
  chunkedAs(
    "a chunk longer than its size",
    "refused",
    (body) => `${(body.length - 2).toString(16)}\r\n${body.toString("latin1")}\r\n0\r\n\r\n`,
  ),
  chunkedAs("no last chunk", "dropped", (body) => `${body.length.toString(16)}\r\n${body.toString("latin1")}\r\n`),
  changed(
    "no last chunk, and the end",
    "dropped",
    (draft) => chunked(draft, `${length(draft).toString(16)}\r\n${draft.body.toString("latin1")}\r\n`),
    {
      halfClose: true,
      patienceMs: 400,
    },
  ),
  changed("chunks in HTTP/1.0", "either", (draft) => ({ ...chunked(draft, chunks(draft.body)), version: "HTTP/1.0" })),

  changed("the end of the sender's side after the request", "dropped", (draft) => draft, {
    halfClose: true,
    patienceMs: 400,
  }),
  changed("the end within the body", "dropped", (draft) => ({ ...draft, body: draft.body.subarray(0, 10) }), {
    halfClose: true,
    patienceMs: 400,
  }),
  changed(
    "the end within the headers",
    "dropped",
    (draft) => ({ ...draft, headers: draft.headers.slice(0, 3), body: Buffer.alloc(0) }),
    {
      halfClose: true,
      patienceMs: 400,
    },
  ),
  {
    name: "one byte at a time",
    async build({ draft }) {
      const made = await draft();
      const bytes = write(made);
      const parts = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, part) =>
        bytes.subarray(part * 16, part * 16 + 16),
      );
      return { parts, outcomes: new Map([[made.marker, "effect"]]) };
    },
  },
  {
    name: "five requests at once",
    async build({ draft }) {
      const drafts = await Promise.all([1, 2, 3, 4, 5].map((size) => draft(size * 100)));
      const kept = drafts.map((each, index) => (index < 4 ? without(each, "Connection") : each));
      return {
        parts: [Buffer.concat(kept.map((each, index) => write(index % 2 ? chunked(each, chunks(each.body)) : each)))],
        outcomes: new Map(drafts.map(({ marker }) => [marker, "effect"])),
        responses: 5,
      };
    },
  },
  {
    name: "a request, one without credentials and another request at once",
    async build({ draft, credentials }) {
      const [first, second, third] = [await draft(), await draft(), await draft()];
      const forged = without(second, "Connection", ...credentials);
      return {
        parts: [Buffer.concat([write(without(first, "Connection")), write(forged), write(third)])],
        outcomes: new Map<string, Outcome>([
          [first.marker, "effect"],
          [second.marker, "refused"],
          [third.marker, "effect"],
        ]),
        responses: 3,
      };
    },
  },
];

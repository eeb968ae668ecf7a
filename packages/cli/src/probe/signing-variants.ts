import { createHash, createHmac, randomUUID } from "node:crypto";
import { decodeKey, type Scheme } from "../signature/sign-request.ts";
import type { FindingCode } from "../vectors/vectors.ts";

/** A signature that the service never sends but that a receiver with a common defect accepts. */
export interface SigningVariant {
  code: FindingCode;
  /** What the receiver accepts, as the end of the sentence "It accepts …". */
  accepted: string;
  headers: [name: string, value: string][];
}

/** The precision of a `Timestamp`. */
export type Precision = "ms" | "second" | "minute";

/** Creates the headers that sign a request without a body. */
export function createSignedHeaders(scheme: Scheme, secret: string, now: number, precision: Precision = "ms") {
  if (scheme === "timestampDigest") {
    const timestamp = formatInstant(now, precision);
    return createDigestHeaders(timestamp, upperHex(sha256(`${timestamp}${secret}`)));
  }
  return createStandardHeaders(decodeKey(secret), now);
}

/** Creates variants of a correct signature, most likely first. */
export const createSigningVariants = (
  scheme: Scheme,
  secret: string,
  now: number,
  precision: Precision,
): SigningVariant[] =>
  scheme === "timestampDigest" ? createDigestVariants(secret, now, precision) : createStandardVariants(secret, now);

/**
 * Finds the first variant of a correct signature that a receiver accepts.
 *
 * @param concurrency how many variants to try concurrently
 * @param send sends a request with the headers and resolves with the response status
 * @param shouldContinue called with the statuses of each group; returns whether to try the next group
 * @returns undefined if the receiver accepts none of the variants that were tried
 */
export async function findAcceptedVariant(
  { scheme, secret, precision }: { scheme: Scheme; secret: string; precision: Precision },
  concurrency: number,
  send: (headers: SigningVariant["headers"]) => Promise<unknown>,
  shouldContinue: (statuses: readonly unknown[]) => boolean,
): Promise<SigningVariant | undefined> {
  for (let start = 0; ; start += concurrency) {
    // Each group is signed again, because a receiver may accept a signature only for a short time.
    const group = createSigningVariants(scheme, secret, Date.now(), precision).slice(start, start + concurrency);
    const statuses = await Promise.all(group.map(({ headers }) => send(headers)));
    const accepted = group.find((_, index) => statuses[index] === 200);
    if (accepted || group.length < concurrency || !shouldContinue(statuses)) return accepted;
  }
}

type Digest = (timestamp: string, secret: string | Buffer) => Buffer;

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The digest of the documented scheme: the secret is appended to the timestamp. */
const appendedDigest: Digest = (timestamp, secret) => sha256(timestamp, secret);
const hmacDigest: Digest = (timestamp, secret) => hmac(secret, timestamp);

const upperHex = (digest: Buffer): string => digest.toString("hex").toUpperCase();

const createDigestHeaders = (timestamp: string, digest: string, scheme = "hmac "): [string, string][] => [
  ["Timestamp", timestamp],
  ["Authorization", `${scheme}${digest}`],
];

const formatInstant = (instant: number, precision: Precision): string => {
  const iso = new Date(instant).toISOString();
  if (precision === "ms") return iso;
  return `${iso.slice(0, precision === "second" ? 19 : 16)}Z`;
};

function createDigestVariants(secret: string, now: number, precision: Precision): SigningVariant[] {
  const timestamp = formatInstant(now, precision);
  const digest = appendedDigest(timestamp, secret);
  /** Returns the variant in upper case, as the service sends it, and in lower case, because a receiver may have two defects. */
  const inBothCases = (code: FindingCode, accepted: string, bytes: Buffer, text = timestamp): SigningVariant[] => [
    { code, accepted, headers: createDigestHeaders(text, upperHex(bytes)) },
    { code, accepted: `${accepted}, in lower case`, headers: createDigestHeaders(text, bytes.toString("hex")) },
  ];
  const asDigestAndHmac = (
    code: FindingCode,
    accepted: string,
    compute: (digest: Digest) => Buffer,
  ): SigningVariant[] => [
    ...inBothCases(code, accepted, compute(appendedDigest)),
    ...inBothCases(code, `${accepted} (as an HMAC)`, compute(hmacDigest)),
  ];
  const signWithShiftedTime = (minutes: number): SigningVariant[] => {
    const text = formatInstant(now + minutes * 60_000, precision);
    const code = Math.abs(minutes) < 60 ? "clock_off" : "zone_ignored";
    return inBothCases(code, `a Timestamp ${describeShift(minutes)} UTC`, appendedDigest(text, secret), text);
  };
  return [
    {
      code: "lower_case_digest",
      accepted: "the same digest in lower case",
      headers: createDigestHeaders(timestamp, digest.toString("hex")),
    },
    ...inBothCases("hmac_only", "the HMAC of the timestamp, with the secret as its key", hmacDigest(timestamp, secret)),
    ...wholeHourShifts.flatMap((minutes) => signWithShiftedTime(minutes)),
    {
      code: "content_type_required",
      accepted: "the request with Content-Type: application/json",
      headers: [...createDigestHeaders(timestamp, upperHex(digest)), ["Content-Type", "application/json"]],
    },
    ...formatInOtherNotations(Date.parse(timestamp))
      .filter(([, text]) => text !== timestamp)
      .flatMap(([name, text]) =>
        asDigestAndHmac("reformatted_date", `the digest of the same time, formatted ${name}`, (computeDigest) =>
          computeDigest(text, secret),
        ),
      ),
    ...listWrongSecrets(secret).flatMap(({ code, name, wrongSecret }) =>
      asDigestAndHmac(code, `a signature made with ${name}`, (computeDigest) => computeDigest(timestamp, wrongSecret)),
    ),
    ...[...schemeWords].flatMap(([word, name]) =>
      [upperHex(digest), digest.toString("hex")].map((text): SigningVariant => {
        return { code: "wrong_scheme_word", accepted: name, headers: createDigestHeaders(timestamp, text, word) };
      }),
    ),
    ...computeDigestsOfWrongTexts(timestamp, secret).flatMap(([accepted, bytes]) =>
      inBothCases("wrong_signed_text", accepted, bytes),
    ),
    {
      code: "wrong_encoding",
      accepted: "the same digest in base64",
      headers: createDigestHeaders(timestamp, digest.toString("base64")),
    },
    ...otherShifts.flatMap((minutes) => signWithShiftedTime(minutes)),
    ...(["second", "minute", "ms"] as const)
      .filter((other) => other !== precision)
      .flatMap((other) => {
        const text = formatInstant(now, other);
        const accepted = `a Timestamp such as ${text}`;
        return inBothCases("precision_refused", accepted, appendedDigest(text, secret), text);
      }),
  ];
}

/** Formats an instant the way various languages print it. */
function formatInOtherNotations(instant: number): [name: string, text: string][] {
  const iso = new Date(instant).toISOString();
  const isoWithMicros = `${iso.slice(0, 23)}000`;
  const isoTexts = [
    iso,
    `${iso.slice(0, 19)}Z`,
    `${iso.slice(0, 16)}Z`,
    `${iso.slice(0, 19)}+00:00`,
    `${isoWithMicros}+00:00`,
    `${iso.slice(0, 23)}+00:00`,
    `${isoWithMicros}Z`,
    isoWithMicros,
    iso.slice(0, 23),
    iso.slice(0, 19),
    iso.slice(0, 16),
    `${iso.slice(0, 16)}+00:00`,
  ];
  const textsWithSpace = isoTexts.map((text) => text.replace("T", " "));
  const unixTimes = [String(Math.floor(instant / 1000)), String(instant)];
  const texts = [...isoTexts, ...textsWithSpace, ...unixTimes, new Date(instant).toUTCString()];
  return texts.map((text) => [`as ${text}`, text]);
}

function listWrongSecrets(secret: string): { code: FindingCode; name: string; wrongSecret: string | Buffer }[] {
  const alteredSecrets: [name: string, wrongSecret: string | Buffer][] = [
    ["the secret with a trailing line feed", `${secret}\n`],
    ["the secret with a carriage return and a trailing line feed", `${secret}\r\n`],
    ["the secret in double quotes", `"${secret}"`],
    ["the secret in single quotes", `'${secret}'`],
    ["the secret without its whsec_ prefix", secret.replace(/^whsec_/, "")],
    ["the secret with a whsec_ prefix", `whsec_${secret}`],
    ["the secret decoded from base64", decodeKey(secret)],
    ["the secret decoded from hexadecimal", Buffer.from(secret.replaceAll("-", ""), "hex")],
    ["the secret encoded as base64", Buffer.from(secret).toString("base64")],
    ["the secret in upper case", secret.toUpperCase()],
    ["the secret in lower case", secret.toLowerCase()],
    ["the secret without dashes", secret.replaceAll("-", "")],
    ["the SHA-256 of the secret", createHash("sha256").update(secret).digest("hex")],
  ];
  return [
    ...["undefined", "null", "None", "nil", ""].map((wrongSecret) => ({
      code: "secret_missing" as const,
      name: wrongSecret === "" ? "an empty secret" : `the string ${wrongSecret} as the secret`,
      wrongSecret,
    })),
    ...alteredSecrets
      .filter(([, wrongSecret]) => wrongSecret !== secret && wrongSecret.length > 0)
      .map(([name, wrongSecret]) => ({ code: "secret_altered" as const, name, wrongSecret })),
  ];
}

const schemeWords: ReadonlyMap<string, string> = new Map([
  ["", "the digest alone, without the word hmac"],
  ["HMAC ", "the word HMAC in upper case"],
  ["Hmac ", "the word Hmac, capitalized"],
  ["Bearer ", "the word Bearer instead of hmac"],
  ["hmac-sha256 ", "the word hmac-sha256 instead of hmac"],
  ["HMAC-SHA256 ", "the word HMAC-SHA256 instead of hmac"],
  ["sha256 ", "the word sha256 instead of hmac"],
  ["sha256=", "sha256= instead of hmac"],
  ["hmac:", "a colon after hmac"],
]);

const computeDigestsOfWrongTexts = (timestamp: string, secret: string): [description: string, digest: Buffer][] => [
  ["SHA-256 of the secret followed by the timestamp", sha256(secret, timestamp)],
  ["an HMAC whose key is the timestamp", hmac(timestamp, secret)],
  ...[".", ":", " ", "\n", "|", "+"].map((separator): [string, Buffer] => [
    `SHA-256 of the timestamp and the secret with ${JSON.stringify(separator)} between them`,
    sha256(timestamp, separator, secret),
  ]),
  ["an HMAC of the timestamp followed by the secret", hmac(secret, `${timestamp}${secret}`)],
];

/** Time zone offsets range from -12 to +14 hours; most are whole hours. */
const wholeHourShifts: readonly number[] = Array.from({ length: 27 }, (_, index) => (index - 12) * 60).filter(
  (minutes) => minutes !== 0,
);

/** Clocks that are off by up to an hour, and the remaining time zones in steps of 15 minutes. */
const otherShifts: readonly number[] = [
  ...[6, 12, 18, 24, 30, 36, 42, 48, 54].flatMap((minutes) => [minutes, -minutes]),
  ...Array.from({ length: 105 }, (_, index) => (index - 48) * 15).filter(
    (minutes) => Math.abs(minutes) > 60 && minutes % 60 !== 0,
  ),
];

/** Describes a shift of the clock without its reference: `1 h 15 min ahead of` or `30 min behind`. */
function describeShift(minutes: number): string {
  const hours = Math.floor(Math.abs(minutes) / 60);
  const remainingMinutes = Math.abs(minutes) % 60;
  const parts = [hours > 0 && `${hours} h`, remainingMinutes > 0 && `${remainingMinutes} min`];
  return `${parts.filter(Boolean).join(" ")} ${minutes > 0 ? "ahead of" : "behind"}`;
}

function createStandardHeaders(
  key: string | Buffer,
  now: number,
  formatSignature = (digest: Buffer) => `v1,${digest.toString("base64")}`,
  buildSignedText = (id: string, timestamp: string) => `${id}.${timestamp}.`,
): [string, string][] {
  const id = `msg_${randomUUID()}`;
  const timestamp = String(Math.floor(now / 1000));
  return [
    ["webhook-id", id],
    ["webhook-timestamp", timestamp],
    ["webhook-signature", formatSignature(hmac(key, buildSignedText(id, timestamp)))],
  ];
}

/** Creates wrong signatures that a receiver might accept. They do not vary the body, because a check has an empty body. */
function createStandardVariants(secret: string, now: number): SigningVariant[] {
  const key = decodeKey(secret);
  const bareSecret = secret.replace(/^whsec_/, "");
  const wrongKeys: [description: string, key: string | Buffer][] = [
    ["a signature whose key is the secret as a string, not its base64 bytes", bareSecret],
    ["a signature whose key is the secret as a string, with its prefix", `whsec_${bareSecret}`],
    ["a signature whose key was decoded with its prefix", Buffer.from(`whsec_${bareSecret}`, "base64")],
    ["a signature whose key is the secret with a line feed", `${secret}\n`],
  ];
  const wrongSignedTexts: [description: string, buildSignedText: (id: string, timestamp: string) => string][] = [
    ["a signature of the time without the id", (_, timestamp) => `${timestamp}.`],
    ["a signature of id, time and body without dots between them", (id, timestamp) => `${id}${timestamp}`],
    ["a signature of the body alone", () => ""],
    ["a signature of time and id in reverse order", (id, timestamp) => `${timestamp}.${id}.`],
  ];
  return [
    ...wrongKeys.map(([accepted, wrongKey]): SigningVariant => {
      return { code: "secret_altered", accepted, headers: createStandardHeaders(wrongKey, now) };
    }),
    ...["", "undefined"].map((wrongKey): SigningVariant => {
      return {
        code: "secret_missing",
        accepted: "a signature without a secret",
        headers: createStandardHeaders(wrongKey, now),
      };
    }),
    {
      code: "wrong_encoding",
      accepted: "the same signature in hexadecimal",
      headers: createStandardHeaders(key, now, (digest) => `v1,${digest.toString("hex")}`),
    },
    {
      code: "wrong_scheme_word",
      accepted: "the signature without its v1, prefix",
      headers: createStandardHeaders(key, now, (digest) => digest.toString("base64")),
    },
    ...wrongSignedTexts.map(([accepted, buildSignedText]): SigningVariant => {
      return {
        code: "wrong_signed_text",
        accepted,
        headers: createStandardHeaders(key, now, undefined, buildSignedText),
      };
    }),
    ...[6, 15, 30, 60].flatMap((minutes) =>
      [minutes, -minutes].map((shift): SigningVariant => {
        return {
          code: "clock_off",
          accepted: `a webhook-timestamp ${describeShift(shift)} the real time`,
          headers: createStandardHeaders(key, now + shift * 60_000),
        };
      }),
    ),
  ];
}

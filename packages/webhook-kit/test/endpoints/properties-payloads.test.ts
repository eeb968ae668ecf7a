import { describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { endpoints } from "../../src/endpoints/endpoints.ts";
import { isJson, parseJson, validateInput } from "../../src/endpoints/read-input.ts";
import { Rejected } from "../../src/http/rejected.ts";
import { anyText, runOptions } from "../support/property-runs.ts";

/** Runs a step. @returns its value, or the error that rejects the request @throws any other error */
function catchRejection<T>(step: () => T): { readonly value: T } | Rejected {
  try {
    return { value: step() };
  } catch (cause) {
    if (cause instanceof Rejected) return cause;
    throw cause;
  }
}

const endpointsWithSchema = Object.values(endpoints).flatMap((endpoint) => ("schema" in endpoint ? [endpoint] : []));

/** Generates payloads with the fields of the contract and arbitrary values. */
const arbitraryPayload = fc.record(
  Object.fromEntries(
    ["offerId", "workerId", "response", "filter", "userEmailAddresses", "entityId", "__proto__", "toString"].map(
      (name) => [name, fc.oneof(fc.jsonValue(), fc.string(), fc.array(fc.emailAddress(), { maxLength: 3 }))],
    ),
  ),
  { requiredKeys: [] },
);

describe("parseJson", () => {
  test("parseJson parses everything that JSON.stringify returns", () =>
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson({ kind: "bytes", bytes: Buffer.from(text) })).toEqual(JSON.parse(text));
      }),
      runOptions(500),
    ));

  test("parseJson rejects bytes that are not UTF-8 or not JSON with 400", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          anyText.map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const parsed = catchRejection(() => parseJson({ kind: "bytes", bytes }));
          if ("value" in parsed) {
            const text = Buffer.from(bytes)
              .toString()
              .replace(/^\ufeff/, "");
            expect(JSON.parse(text)).toEqual(parsed.value);
            return;
          }
          const isUtf8 = Buffer.from(Buffer.from(bytes).toString()).equals(bytes);
          expect(parsed.rejection).toMatchObject({
            status: 400,
            code: isUtf8 ? "malformed_json" : "invalid_encoding",
          });
        },
      ),
      runOptions(1_000),
    ));
});

describe("isJson", () => {
  const type = fc.oneof(
    anyText,
    fc
      .tuple(
        fc.mixedCase(fc.constantFrom("application/json", "application/problem+json", "text/json", "application/jsonp")),
        fc.constantFrom(
          "",
          ";",
          "; charset=utf-8",
          ';charset="UTF-8"',
          "; charset=latin1",
          "; charset=utf-8x",
          ", text/html",
        ),
      )
      .map(([media, parameter]) => media + parameter),
  );

  test("isJson accepts only uncompressed JSON in UTF-8 with one Content-Type", () =>
    fc.assert(
      fc.property(type, fc.option(fc.oneof(anyText, fc.constant("identity"))), (text, encoding) => {
        const rawHeaders = ["Content-Type", text, ...(encoding === null ? [] : ["content-encoding", encoding])];
        const [media = "", ...parameters] = text.split(";");
        const isUtf8 = parameters.every((part) => /^(?:charset\s*=\s*"?utf-8"?)?$/i.test(part.trim()));
        if (isJson(rawHeaders)) {
          expect(media.trim()).toMatch(/^application\/(?:[\w.+-]+\+)?json$/i);
          expect([isUtf8, (encoding ?? "identity").toLowerCase()]).toEqual([true, "identity"]);
        }
        expect(isJson([...rawHeaders, "content-type", text])).toBe(false);
      }),
      runOptions(1_000),
    ));
});

describe.each(endpointsWithSchema)("the payload of $name", ({ schema }) => {
  test("any payload is accepted or rejected with 400, and no other error is thrown", () =>
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue(), arbitraryPayload), (value) => {
        const result = catchRejection(() => validateInput(schema, value));
        if ("rejection" in result) expect(result.rejection).toMatchObject({ status: 400, code: "invalid_request" });
        else expect(typeof value).toBe("object");
      }),
      runOptions(500),
    ));

  test("the error for an invalid payload does not quote the payload", () =>
    fc.assert(
      fc.property(arbitraryPayload, (value) => {
        const sentinel = "sentinel-of-a-value";
        const markedPayload = JSON.parse(
          JSON.stringify(value, (_, field) => (typeof field === "string" ? `${sentinel} ${field}` : field)),
        );
        const result = catchRejection(() => validateInput(schema, markedPayload));
        if ("rejection" in result) expect(JSON.stringify(result)).not.toContain(sentinel);
      }),
      runOptions(300),
    ));
});

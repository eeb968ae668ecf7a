import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { ConfigurationError } from "../errors/errors.ts";
import { Rejected } from "../http/rejected.ts";
import type { VerifyOptions } from "../options/options.ts";
import { readVerifyOptions } from "../receive/settings.ts";
import type { SignatureScheme } from "./signature-scheme.ts";
import { verifySignature } from "./verify-signature.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const signedAt = 1_600_000_000_000;

/** A scheme that always parses the same time and matches the first secret. */
const scheme: SignatureScheme = {
  name: "sample",
  wwwAuthenticate: "sample",
  signsBody: false,
  sign: () => ({}),
  parse: () => ({ signedAt: { earliest: signedAt, latest: signedAt + 999 }, signature: Buffer.of(1) }),
  verify: () => ({ secretIndex: 0, variant: "only" }),
};

const readBody = async () => ({ kind: "bytes", bytes: new Uint8Array() }) as const;

async function verifyWith(options: Partial<VerifyOptions<string>> = {}, now = signedAt) {
  const settings = readVerifyOptions<string>({ secret, scheme, now: () => new Date(now), ...options });
  return verifySignature(settings, { rawHeaders: [], request: "a request", readBody });
}

test("verifySignature returns the matching secret, the signing time and the clock skew", async () =>
  expect(await verifyWith({}, signedAt - 1_500)).toEqual({
    parsed: scheme.parse([]),
    receivedAt: new Date(signedAt - 1_500),
    verified: { scheme: "sample", variant: "only", secretIndex: 0, skewSeconds: 1.5 },
    tenant: "",
    body: undefined,
  }));

// printf '%s' 5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52 | openssl dgst -sha256
test("with a secret function, a tenant is identified by a hash of its secret", async () =>
  expect(await verifyWith({ secret: async (request) => (request === "a request" ? secret : undefined) })).toMatchObject(
    {
      tenant: "a2b8d39ec9a82fc0cd75cb072ecdda9216988509fb2d29698f66d0d9ddb7713b",
    },
  ));

test.each([
  [-300_001, true],
  [-300_000, false],
  [300_999, false],
  [301_000, true],
])("a clock %d ms after the signed time is out of tolerance: %s", async (ms, isOutOfTolerance) =>
  expect(
    await verifyWith({}, signedAt + ms).then(
      () => false,
      (cause) => cause instanceof Rejected,
    ),
  ).toBe(isOutOfTolerance),
);

test("the rejection of a stale request contains its age in seconds", async () =>
  await expect(verifyWith({ toleranceSeconds: 60 }, signedAt + 100_999)).rejects.toMatchObject({
    rejection: {
      code: "timestamp_out_of_tolerance",
      status: 401,
      skewSeconds: -100,
      message: expect.stringMatching(
        /is -100 s off this server's clock; 60 s are allowed\. Is one of the clocks wrong/,
      ),
    },
    response: { status: 401, headers: { "www-authenticate": "sample" } },
  }));

test("verifySignature rejects the request if the clock is invalid", async () =>
  await expect(verifyWith({}, Number.NaN)).rejects.toMatchObject({
    rejection: { code: "timestamp_out_of_tolerance" },
  }));

test.each<[string, Partial<VerifyOptions<string>>, string, RegExp]>([
  ["an unknown tenant", { secret: () => undefined }, "unknown_tenant", /does not know the tenant/],
  [
    "a signature from a different secret",
    { scheme: { ...scheme, verify: () => undefined } },
    "signature_mismatch",
    /No secret matches; is the secret exactly the one in the company profile/,
  ],
  [
    "malformed headers",
    { scheme: { ...scheme, parse: () => ({ code: "malformed_webhook_id", message: "no id" }) } },
    "malformed_webhook_id",
    /^no id$/,
  ],
])(
  "a request with %s is rejected, and the response does not reveal the reason",
  async (_, options, reason, message) => {
    const rejected = await verifyWith(options).catch((cause) => cause);
    expect(rejected).toMatchObject({
      rejection: { code: reason, status: 401, message: expect.stringMatching(message) },
      response: { status: 401, headers: { "www-authenticate": "sample" } },
    });
    expect(JSON.stringify(rejected.response)).not.toContain(reason);
  },
);

test.each([-1, 1, 0.5, Number.NaN, undefined])(
  "a scheme that returns the secret index %s does not match",
  async (secretIndex) => {
    const verify = () => ({ secretIndex: secretIndex as number, variant: "only" });
    for (const source of [secret, () => secret])
      await expect(verifyWith({ secret: source, scheme: { ...scheme, verify } })).rejects.toMatchObject({
        rejection: { code: "signature_mismatch", status: 401 },
      });
  },
);

test("a signed body that a parser has consumed is a configuration error, and the scheme is not called", async () => {
  const verify = vi.fn(scheme.verify);
  const settings = readVerifyOptions({
    secret,
    scheme: { ...scheme, signsBody: true, verify },
    now: () => new Date(signedAt),
  });
  const readBody = async () => ({ kind: "parsed", value: { offerId: "offer_1" } }) as const;
  await expect(verifySignature(settings, { rawHeaders: [], request: undefined, readBody })).rejects.toEqual(
    expect.objectContaining({ name: "ConfigurationError", code: "body_already_consumed" }),
  );
  expect(verify).not.toHaveBeenCalled();
});

const createThrower = (cause: unknown) => (): never => {
  throw cause;
};

test.each(["parse", "verify"] as const)("a scheme whose %s throws makes the receiver unavailable", async (step) => {
  const cause = new Error("no such key");
  await expect(verifyWith({ scheme: { ...scheme, [step]: createThrower(cause) } })).rejects.toEqual(
    expect.objectContaining({
      code: "signature_scheme_error",
      cause,
      message: expect.stringMatching(/scheme threw; see this error's cause/),
    }),
  );
  const kitError = new ConfigurationError("invalid_option", "a scheme may throw one of the kit's errors");
  await expect(verifyWith({ scheme: { ...scheme, [step]: createThrower(kitError) } })).rejects.toBe(kitError);
});

test("a scheme whose verify rejects makes the receiver unavailable", async () => {
  const cause = new Error("the key service is down");
  await expect(verifyWith({ scheme: { ...scheme, verify: () => Promise.reject(cause) } })).rejects.toEqual(
    expect.objectContaining({ code: "signature_scheme_error", cause }),
  );
});

test("a scheme's promise from another realm is awaited before it counts as a match", async () => {
  const verify = (): Promise<undefined> => runInNewContext("Promise.resolve(undefined)");
  await expect(verifyWith({ scheme: { ...scheme, verify } })).rejects.toMatchObject({
    rejection: { code: "signature_mismatch" },
  });
});

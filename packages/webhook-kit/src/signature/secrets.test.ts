import { expect, test, vi } from "vitest";
import { createSecretLookup, findSecretProblem, findWeakness, type SecretSource } from "./secrets.ts";

const validSecret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const errorWith = (code: string) => expect.objectContaining({ code });

test.each([
  ["", "invalid_secret"],
  ["   ", "invalid_secret"],
  ["\n", "invalid_secret"],
  [` ${validSecret}`, "invalid_secret"],
  [`${validSecret}\n`, "invalid_secret"],
  [`\uFEFF${validSecret}`, "invalid_secret"],
  [`${validSecret}\u0000${validSecret}`, "invalid_secret"],
  [`${validSecret}\ud800`, "invalid_secret"],
  ["fifteen-letters", "short_secret"],
  [[], "invalid_secret"],
  [[validSecret, ""], "invalid_secret"],
  [[validSecret, "short"], "short_secret"],
  [undefined, "invalid_secret"],
  [null, "invalid_secret"],
  [42, "invalid_secret"],
])(
  "the secret %j is rejected at construction, or during the request if a function returns it",
  async (secret, expected) => {
    expect(() => createSecretLookup(secret as string, false)).toThrow(errorWith(expected));
    if (secret === undefined) return;
    const lookUp = createSecretLookup((() => secret) as SecretSource, false);
    await expect(Promise.resolve(lookUp({}))).rejects.toEqual(errorWith("invalid_secret"));
  },
);

test("allowShortSecret allows a short secret, but not a blank one [D-43]", () => {
  expect(createSecretLookup("short", true)({})).toEqual(["short"]);
  expect(() => createSecretLookup(" ", true)).toThrow(errorWith("invalid_secret"));
});

test("an error message never contains the secret", () => {
  for (const secret of ["hunter2", "hunter2 ", "hunter2\u0000hunter2hunter2"])
    expect(() => createSecretLookup(secret, false)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
    );
});

test("changing the array of secrets after construction has no effect", () => {
  const secrets = [validSecret];
  const lookUp = createSecretLookup(secrets, false);
  secrets[0] = "";
  expect(lookUp({})).toEqual([validSecret]);
});

test("each lookup calls the function with its request", async () => {
  const lookUp = createSecretLookup<string>(async (tenant) => (tenant === "known" ? validSecret : undefined), false);
  expect(await lookUp("known")).toEqual([validSecret]);
  expect(await lookUp("unknown")).toBeUndefined();
});

test("the error's cause is what the function threw", async () => {
  const cause = new Error("vault is sealed");
  const lookUp = createSecretLookup(() => Promise.reject(cause), false);
  await expect(Promise.resolve(lookUp({}))).rejects.toEqual(
    expect.objectContaining({ code: "secret_lookup_failed", cause }),
  );
});

test("a function that never returns times out after 5 s, and does not keep the process alive", async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  const neverResolves = createSecretLookup(() => new Promise<never>(() => undefined), false);
  Promise.resolve(neverResolves({})).catch(() => undefined);
  expect(countTimers()).toBe(before);
  vi.useFakeTimers();
  try {
    const failed = vi.fn();
    const lookedUp = Promise.resolve(neverResolves({})).catch(failed);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await lookedUp;
    expect(failed).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: "secret_lookup_failed",
        cause: expect.objectContaining({ message: expect.stringMatching(/took more than 5000 ms/) }),
      }),
    );
  } finally {
    vi.useRealTimers();
  }
});

test("accepts several secrets from the function, and rejects all of them if one is invalid", async () => {
  expect(await createSecretLookup(() => [validSecret, `${validSecret}2`], false)({})).toEqual([
    validSecret,
    `${validSecret}2`,
  ]);
  await expect(Promise.resolve(createSecretLookup(() => [validSecret, ""], false)({}))).rejects.toEqual(
    errorWith("invalid_secret"),
  );
});

test("the error explains what to check", async () => {
  const errorMatching = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message) });
  expect(() => createSecretLookup([], false)).toThrow(errorMatching(/a non-empty array of strings, or a function/));
  const broken = createSecretLookup(() => Promise.reject(new Error()), false);
  await expect(Promise.resolve(broken({}))).rejects.toEqual(
    errorMatching(/secret function threw or timed out; see this error's cause/),
  );
  const empty = createSecretLookup(() => "", false);
  await expect(Promise.resolve(empty({}))).rejects.toEqual(errorMatching(/^From the secret function: .*empty/));
});

test("the scheme checks every secret", async () => {
  const scheme = { checkSecret: (secret: string) => (secret.startsWith("whsec_") ? undefined : "No whsec_.") };
  const rejection = expect.objectContaining({ code: "invalid_secret", message: "No whsec_." });
  const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  expect(createSecretLookup([whsec], false, scheme)({})).toEqual([whsec]);
  expect(() => createSecretLookup([whsec, validSecret], true, scheme)).toThrow(rejection);
  await expect(Promise.resolve(createSecretLookup(() => validSecret, false, scheme)({}))).rejects.toEqual(
    expect.objectContaining({ code: "invalid_secret", message: expect.stringContaining("No whsec_.") }),
  );
});

test.each([
  [undefined, /must be a string/],
  [42, /must be a string/],
  ["", /empty or blank/],
  [" \t\n", /empty or blank/],
  ["\ufeff", /empty or blank/],
  [" secret", /starts or ends with white space/],
  ["secret\r\n", /starts or ends with white space/],
  ["secret\ufeff", /starts or ends with white space/],
  ["sec\u0000ret", /control character or a lone surrogate/],
  ["sec\u007fret", /control character or a lone surrogate/],
  ["sec\u0085ret", /control character or a lone surrogate/],
  ["sec\ud83dret", /control character or a lone surrogate/],
])("the message for %j matches %s", (secret, message) =>
  expect(findSecretProblem(secret)).toEqual({ code: "invalid_secret", message: expect.stringMatching(message) }),
);

test.each(["x", "correct horse battery staple", "Zoë 🔑", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])(
  "findSecretProblem accepts %j",
  (secret) => expect(findSecretProblem(secret)).toBeUndefined(),
);

test("findWeakness accepts 16 characters and rejects 15", () => {
  expect(findWeakness("sixteen-letters!")).toBeUndefined();
  expect(findWeakness("fifteen-letters")).toEqual({
    code: "short_secret",
    message: expect.stringMatching(/fewer than 16 characters.*allowShortSecret/),
  });
});

test("the prefix of a Standard Webhooks key does not count towards its length, but the same letters elsewhere do", () => {
  expect(findWeakness("whsec_fifteen-letters")).toMatchObject({ code: "short_secret" });
  expect(findWeakness("whsec_sixteen-letters!")).toBeUndefined();
  expect(findWeakness("abcdewhsec_fghij")).toBeUndefined();
});

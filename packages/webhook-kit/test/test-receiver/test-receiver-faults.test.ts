import { createHash, createHmac } from "node:crypto";
import express, { type RequestHandler } from "express";
import { expect, test } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { testReceiver } from "../../src/testing.ts";
import { captureConsole } from "../support/capture-console.ts";
import { quietOptions, secret, serve } from "../support/serve.ts";
import { createNaiveRouter } from "../vectors/receivers/naive-receiver.ts";

captureConsole();

type CheckContract = Awaited<ReturnType<typeof testReceiver>>["checkContract"];

/** Returns the problems that checkContract finds in a receiver. Expects that they do not contain the secret. */
async function findProblems(
  app: Parameters<typeof testReceiver>[0],
  basePath: string,
  samples?: Parameters<CheckContract>[0],
) {
  await using receiver = await testReceiver(app, { secret, basePath });
  const problems = await receiver.checkContract(samples);
  expect(problems.join()).not.toContain(secret);
  return problems;
}

const everywhere =
  "GET /test/auth, GET /contact/new/worker_made_up, POST /contact-suggestions, POST /offer/response, " +
  "POST /offer/eventDeleted, POST /events/timelineChanged, HEAD /test/auth, HEAD /contact/new/worker_made_up";

test("checkContract reports the known problems of the naive receiver", async () => {
  const router = createNaiveRouter({ secret: [secret], now: () => new Date(), onRejected: () => undefined });
  expect(await findProblems(express().use("/hooks", router), "/hooks")).toEqual([
    `A request signed in the future must be rejected, but 200 was returned by ${everywhere}.`,
    "A request with Authorization twice must be rejected, but 200 was returned by GET /test/auth.",
    "A request with a forged Authorization after the genuine one must be rejected, but 200 was returned by GET /test/auth.",
    "A request whose Timestamp is not a date must be rejected, but 200 was returned by GET /test/auth.",
    "The payload {} must be rejected, but 200 was returned by POST /offer/eventDeleted, POST /events/timelineChanged.",
    "The payload [] must be rejected, but 200 was returned by POST /offer/eventDeleted, POST /events/timelineChanged.",
  ]);
});

test("checkContract reports every missing rejection of a receiver that responds with 200 to everything", async () => {
  const problems = await findProblems((_request, response) => response.end(), "");
  expect(problems).toHaveLength(27);
  for (const problem of problems)
    expect(problem).toMatch(/ must (be rejected|not be acknowledged), but 200 was returned by /);
  expect(problems[0]).toBe(`A request without a signature must be rejected, but 200 was returned by ${everywhere}.`);
});

test("for a receiver that is mounted elsewhere, the problem names basePath", async () => {
  const app = express().use("/hooks", webhookRouter({ ...quietOptions, secret }));
  for (const [basePath, requested] of [
    ["/webhooks/", "/webhooks/test"],
    ["", "/test"],
  ] as const)
    expect(await findProblems(app, basePath)).toEqual([
      `GET ${requested} returned 404: no receiver is mounted there. Pass basePath, the path of the base URL in your company profile.`,
    ]);
});

test("checkContract stops, and asks about the secret, if the receiver rejects every valid signature", async () => {
  const app = express().use("/hooks", webhookRouter({ ...quietOptions, secret: "another-secret-of-the-profile" }));
  expect(await findProblems(app, "/hooks")).toEqual([
    "GET /test/auth rejects every valid signature: does the receiver use this secret and scheme?",
  ]);
});

test("checkContract reports a receiver that is down or stops responding during the check", async () => {
  const { url } = await serve((request) => request.socket.destroy());
  expect(await findProblems(url, "")).toEqual(["GET /test got no response (ECONNRESET); nothing more was sent."]);
  const router = webhookRouter({ ...quietOptions, secret });
  const failingApp = express().use("/hooks", (request, response, next) => {
    if (request.get("authorization") === "") request.socket.destroy();
    else router(request, response, next);
  });
  expect(await findProblems(failingApp, "/hooks")).toEqual([
    "GET /test/auth got no response (ECONNRESET); nothing more was sent.",
  ]);
});

/** Returns whether `authorization` is `hmac` and either variant of the digest of the timestamp and the secret. */
const isSigned = (timestamp: string, authorization: string): boolean =>
  [createHash("sha256").update(timestamp + secret), createHmac("sha256", secret).update(timestamp)].some(
    (digest) => authorization.toUpperCase() === `HMAC ${digest.digest("hex").toUpperCase()}`,
  );

const readSignatureHeaders = ({ headers }: { headers: Record<string, unknown> }) =>
  [String(headers.timestamp ?? ""), String(headers.authorization ?? "")] as const;

/** Middleware that responds incorrectly to some requests and passes all others to a correct receiver. */
const mistakes: [mistake: string, faultyMiddleware: RequestHandler, problems: RegExp[]][] = [
  [
    "requires a signature on /test",
    ({ path, headers }, response, next) =>
      path === "/test" && !headers.authorization ? response.sendStatus(401) : next(),
    [/^Any request to \/test must return 200, whatever its headers, but 401 was returned by GET \/test\.$/],
  ],
  [
    "fails for meaningless headers on /test",
    ({ path, headers }, response, next) =>
      path === "/test" && headers.timestamp === "never" ? response.sendStatus(500) : next(),
    [/^Any request to \/test .* but 500 was returned by GET \/test\.$/],
  ],
  [
    "ignores the time",
    (request, response, next) =>
      isSigned(...readSignatureHeaders(request)) && request.path === "/test/auth" ? response.sendStatus(200) : next(),
    [
      / too long ago .* 200 was returned by GET \/test\/auth, HEAD \/test\/auth\.$/,
      / in the future /,
      // Node keeps the first of two Authorization headers.
      / with Authorization twice /,
      / a forged Authorization after /,
      / Timestamp is not a date /,
    ],
  ],
  [
    "requires seconds in a timestamp",
    ({ headers }, response, next) =>
      /T\d\d:\d\dZ$/.test(String(headers.timestamp)) ? response.sendStatus(401) : next(),
    [/^A request whose Timestamp has no seconds must return 200, but 401 /],
  ],
  [
    "rejects timestamps that are ahead of its clock",
    ({ headers }, response, next) =>
      Date.parse(String(headers.timestamp)) > Date.now() + 1_000 ? response.sendStatus(401) : next(),
    [/^A request signed 30 s ahead must return 200, but 401 /],
  ],
  [
    "accepts a digest that starts correctly",
    (request, response, next) => {
      const [timestamp, authorization] = readSignatureHeaders(request);
      const digest = createHash("sha256")
        .update(timestamp + secret)
        .digest("hex")
        .toUpperCase();
      const digits = authorization.slice("hmac ".length);
      return request.path === "/test/auth" && digits !== "" && digest.startsWith(digits) && digits.length < 64
        ? response.sendStatus(200)
        : next();
    },
    [/^A request with half of the digest must be rejected/],
  ],
  [
    "ignores what follows the digest",
    (request, response, next) => {
      const [timestamp, authorization] = readSignatureHeaders(request);
      // The word `hmac`, a space and the digest have 69 characters.
      return request.path === "/test/auth" &&
        isSigned(timestamp, authorization.slice(0, 69)) &&
        authorization.length > 69
        ? response.sendStatus(200)
        : next();
    },
    [/^A request with garbage after Authorization must be rejected/],
  ],
  [
    "verifies with an empty secret",
    (request, response, next) => {
      const [timestamp, authorization] = readSignatureHeaders(request);
      return request.path === "/test/auth" &&
        authorization.slice("hmac ".length) === createHmac("sha256", "").update(timestamp).digest("hex").toUpperCase()
        ? response.sendStatus(200)
        : next();
    },
    [/^A request with an HMAC whose key is empty must be rejected/],
  ],
  [
    "throws for an invalid digest",
    ({ headers }, response, next) =>
      /^hmac [^0-9a-f]{64}$/i.test(String(headers.authorization)) ? response.sendStatus(500) : next(),
    [
      / 64 letters that are not hexadecimal digits must be rejected, but 500 /,
      / 64 characters that are not ASCII .* but 500 /,
    ],
  ],
  [
    "leaves one endpoint unguarded",
    ({ path, headers }, response, next) =>
      path === "/offer/response" && !headers.authorization ? response.sendStatus(200) : next(),
    [/^A request without a signature must be rejected, but 200 was returned by POST \/offer\/response\.$/],
  ],
  [
    "acknowledges unknown paths",
    ({ path }, response, next) => (path.startsWith("/no/") ? response.sendStatus(200) : next()),
    [/^An unknown path must not be acknowledged/],
  ],
  [
    "fails for OPTIONS",
    ({ method }, response, next) => (method === "OPTIONS" ? response.sendStatus(500) : next()),
    [/^A method that the service does not use must not fail, but 500 was returned by OPTIONS \/test\/auth\.$/],
  ],
  [
    "reveals the secret that it expected",
    ({ path, headers }, response, next) =>
      path === "/test/auth" && headers.authorization === ""
        ? void response.status(401).send(`not signed with ${secret}`)
        : next(),
    [/^GET \/test\/auth returned the secret in its response\.$/],
  ],
];

test.each(mistakes)("a receiver that %s has only that problem [D-61]", async (_mistake, faultyMiddleware, problems) => {
  const app = express().use("/hooks", faultyMiddleware, webhookRouter({ ...quietOptions, secret }));
  expect(await findProblems(app, "/hooks")).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});

test("for a receiver that accepts only one variant of the digest, the problem names the other variant", async () => {
  const appWithVariant = (variant: "sha256" | "hmac") =>
    express().use(webhookRouter({ ...quietOptions, secret, scheme: timestampDigest({ variant }) }));
  expect(await findProblems(appWithVariant("sha256"), "")).toEqual([
    "A request signed with an HMAC, the other documented variant, must return 200, but 401 was returned by GET /test/auth.",
  ]);
  expect(await findProblems(appWithVariant("hmac"), "")).toContain(
    "A request signed now must return 200, but 401 was returned by GET /test/auth.",
  );
});

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const search = { userEmailAddresses: ["hana@harbour-hotels.example"] };

test("checkContract reports a sample that is not acknowledged, or not acknowledged when it is repeated", async () => {
  const appWithoutHandler = express().use(webhookRouter({ ...quietOptions, secret }));
  expect(await findProblems(appWithoutHandler, "", { workerOfferResponse: accepted })).toEqual([
    "workerOfferResponse must return 200, but 404 was returned by POST /offer/response.",
  ]);
  const signatures = new Set<string>();
  const rejectRepeats: RequestHandler = ({ headers, path }, response, next) => {
    const key = String(headers.authorization);
    if (path !== "/offer/response" || !signatures.has(key)) next();
    else response.sendStatus(409);
    signatures.add(key);
  };
  const router = webhookRouter({ ...quietOptions, secret, onWorkerOfferResponse: () => undefined });
  expect(await findProblems(express().use(rejectRepeats, router), "", { workerOfferResponse: accepted })).toEqual([
    "workerOfferResponse must return 200 when the same request is sent twice, but 409 was returned by POST /offer/response.",
  ]);
});

const sixStars = { rating: 6, ratingProvider: "A", lastWorked: "2025-11-30T17:00:00Z" };

test("checkContract reports the invalid fields of suggestions that the service would reject, but not their values", async () => {
  const app = express().post(
    "/contact-suggestions",
    verifyWebhook({ ...quietOptions, secret }),
    express.json(),
    (request, response) => {
      if (!request.body.userEmailAddresses) response.sendStatus(400);
      else response.json([{ name: "Dana Kim", emailAddress: "dana-kim", ratings: [sixStars] }]);
    },
  );
  const problems = await findProblems(app.use(webhookRouter({ ...quietOptions, secret })), "", {
    contactSuggestions: search,
  });
  expect(problems).toEqual([
    "contactSuggestions returned a list that the service would reject: [0].emailAddress: Must be an email address.",
    "contactSuggestions returned a list that the service would reject: [0].ratings[0].rating: Too long or too large; at most 5.",
  ]);
});

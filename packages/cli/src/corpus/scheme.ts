/** The two ways to sign a webhook that the service knows (D-76). */
export type Scheme = "timestampDigest" | "standardWebhooks";

export const schemes: readonly Scheme[] = ["timestampDigest", "standardWebhooks"];

/** What a 401 asks for in `WWW-Authenticate`. */
export const challengeOf: Readonly<Record<Scheme, string>> = {
  timestampDigest: "hmac",
  standardWebhooks: "standard-webhooks",
};

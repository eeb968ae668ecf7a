/** The prefix of every request's path: Stripe's client sends JSON only below `/v2/`, and forms elsewhere. */
export const pathPrefix = "/v2";

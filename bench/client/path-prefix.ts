/** The prefix of every request path, because Stripe's client sends JSON only under `/v2/` and form data elsewhere. */
export const pathPrefix = "/v2";

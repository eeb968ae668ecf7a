/** The prefix of every request path. Stripe's client sends JSON to paths under `/v2/`, but form data to all others. */
export const pathPrefix = "/v2";

/** Of every request: stripe's client sends JSON only under `/v2/`, and forms elsewhere. */
export const pathPrefix = "/v2";

/** Of every request: stripe's client sends JSON under `/v2/` alone, forms elsewhere. */
export const pathPrefix = "/v2";

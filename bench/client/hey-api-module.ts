/** The client that `generateHeyApi` makes: one module, which Node and a bundler read. */
export const heyApiModule = new URL("../.cache/hey-api/client.mjs", import.meta.url);

import fc from "fast-check";

/**
 * Configures fast-check with the seed of this run. The seed is fixed in `npm test`, so that every machine gets the same result. It is new
 * each night (`PROPERTY_SEED=… npm run check -- full`).
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });

/** Picks the number of runs for an expensive property: `reduced` in `npm test`, `full` in the full matrix. */
export const pickNumRuns = (reduced: number, full: number): number =>
  process.env.TEST_MATRIX === "full" ? full : reduced;

export { fc };

import fc from "fast-check";

/**
 * Configures fast-check with this run's seed: fixed in `npm test`, so that every machine gets the same result, and new each night
 * (`PROPERTY_SEED=… npm run check -- full`).
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });

/** Picks the number of runs for an expensive property: `part` in `npm test`, `full` in the full matrix. */
export const pickNumRuns = (part: number, full: number): number => (process.env.TEST_MATRIX === "full" ? full : part);

export { fc };

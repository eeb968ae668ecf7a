import fc from "fast-check";

/**
 * fast-check with the run's seed: the same in every `npm test`, so that a failure on one machine is a failure on all; a new one each night
 * (`PROPERTY_SEED=… npm run check -- full`).
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });

/** How many runs of a property `npm test` has, if the full matrix has more: each run is expensive, and they are much alike. */
export const share = (part: number, full: number): number => (process.env.TEST_MATRIX === "full" ? full : part);

export { fc };

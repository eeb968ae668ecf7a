import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";

/** @param full the number of runs in the full matrix; `npm test` makes a fifth of them */
export const runs = (full: number): fc.Parameters<unknown> => ({ numRuns: pickNumRuns(Math.ceil(full / 5), full) });

/** Generates any string, because a parser must expect anything in a header. */
export const anyText = fc.string({ unit: "binary", maxLength: 80 });

/** Generates a valid string in which one character was replaced, left out, doubled or moved. */
export const almost = (good: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(good, fc.nat(), fc.nat(), fc.string({ unit: "binary", maxLength: 2 })).map(([text, from, length, other]) => {
    const at = from % (text.length + 1);
    return text.slice(0, at) + other + text.slice(at + (length % 3));
  });

/** Instants that both schemes can represent. */
export const instant = fc.date({
  min: new Date(0),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

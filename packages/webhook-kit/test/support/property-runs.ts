import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";

/** @param fullRuns the number of runs in the full matrix. `npm test` does a fifth of them. */
export const runOptions = (fullRuns: number): fc.Parameters<unknown> => ({
  numRuns: pickNumRuns(Math.ceil(fullRuns / 5), fullRuns),
});

/** Generates arbitrary strings, since a header may contain anything. */
export const anyText = fc.string({ unit: "binary", maxLength: 80 });

/** Generates a valid string in which up to two characters are replaced by up to two others. */
export const almostValid = (valid: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(valid, fc.nat(), fc.nat(), fc.string({ unit: "binary", maxLength: 2 }))
    .map(([text, from, length, other]) => {
      const at = from % (text.length + 1);
      return text.slice(0, at) + other + text.slice(at + (length % 3));
    });

/** Instants that both schemes can represent. */
export const instant = fc.date({
  min: new Date(0),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

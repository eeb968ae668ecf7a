import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";

/** Creates options with the number of runs of a property. @param fullRuns the number in the full matrix, five times as many as in `npm test` */
export const runOptions = (fullRuns: number): fc.Parameters<unknown> => ({
  numRuns: pickNumRuns(Math.ceil(fullRuns / 5), fullRuns),
});

/** Generates arbitrary strings, such as a sender may put into a header. */
export const anyText = fc.string({ unit: "binary", maxLength: 80 });

/** Generates a string by replacing up to two characters of a valid string with up to two arbitrary characters. */
export const almostValidText = (valid: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(valid, fc.nat(), fc.nat(), fc.string({ unit: "binary", maxLength: 2 }))
    .map(([text, position, length, replacement]) => {
      const start = position % (text.length + 1);
      const end = start + (length % 3);
      return text.slice(0, start) + replacement + text.slice(end);
    });

/** Instants that both schemes can represent. */
export const instant = fc.date({
  min: new Date(0),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

import { expect, test } from "vitest";
import { toUtc } from "./to-utc.ts";

test.each([
  ["2099-05-01T16:00:00Z", "2099-05-01T16:00:00Z"],
  ["2099-05-01T16:00:00.123456789Z", "2099-05-01T16:00:00.123456789Z"],
  ["2099-05-01T16:00Z", "2099-05-01T16:00:00Z"],
  ["2099-05-01T18:00:00+02:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01T18:00:00.123456789+02:00", "2099-05-01T16:00:00.123456789Z"],
  ["2099-05-01T16:00:00.50+00:00", "2099-05-01T16:00:00.50Z"],
  ["2099-05-01T16:00:00+00:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01T23:30:00-04:30", "2099-05-02T04:00:00Z"],
  ["2096-02-29T12:00:00Z", "2096-02-29T12:00:00Z"],
  ["2099-05-01T16:00:00-00:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01t16:00:00z", "2099-05-01T16:00:00Z"],
  ["2099-05-01 16:00:00.5Z", "2099-05-01T16:00:00.5Z"],
  ["2099-05-01 18:00+02:00", "2099-05-01T16:00:00Z"],
  ["0000-01-01T00:00:00-01:00", "0000-01-01T01:00:00Z"],
])("%s is sent as %s [D-33] [D-96] [interface: Resources 1b]", (time, sent) =>
  expect(toUtc(time, "start", 0)).toBe(sent),
);

test("a Date is sent as the same instant", () =>
  expect(toUtc(new Date(Date.UTC(2099, 4, 1, 16)), "start", 0)).toBe("2099-05-01T16:00:00.000Z"));

test.each([
  "2099-05-01T16:00:00",
  "2099-05-01",
  "2099-02-29T12:00:00Z",
  "2099-02-30T12:00:00+01:00",
  "2099-13-01T12:00:00Z",
  "2099-05-01T24:00:00Z",
  "2099-05-01T24:00:00+02:00",
  "2099-05-01T25:00:00Z",
  "2099-05-01T16:00:00+25:00",
  "2099-05-01  16:00:00Z",
  "2099-05-01_16:00:00Z",
  "2099-05-01T16:00:00+0200",
  "2099-05-01T16:00:00,5Z",
  "2099-05-01T16:00:00Z ",
  "1 May 2099 16:00 GMT",
  "",
  new Date(Number.NaN),
  4_000_000_000_000 as unknown as Date,
  undefined as unknown as Date,
  null as unknown as Date,
])("%s is rejected, and the message contains the field and a valid format [D-33]", (time) =>
  expect(() => toUtc(time, "end", 2)).toThrow(
    expect.objectContaining({
      code: "invalid_time",
      message: expect.stringMatching(/^events\[2\]\.end .*\+02:00/),
    }),
  ),
);

test.each([
  "2099-05-01T16:00:60Z",
  // In UTC, these are in the years -1 and 10000.
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:30:00-01:00",
  new Date(8.64e15),
])("%s, which has an offset, is rejected, and the message names every limit [D-96]", (time) =>
  expect(() => toUtc(time, "end", 2)).toThrow(
    expect.objectContaining({
      code: "invalid_time",
      message:
        "events[2].end must be a Date or a time with an offset (+02:00), with seconds up to 59 and a year from 0000 to 9999 in UTC",
    }),
  ),
);

test.each([
  ["2099-05-30T16:00:00Z", "2099-05-30T16:00:00Z"],
  ["2099-05-31T16:00:00Z", "2099-05-31T16:00:00Z"],
  // In the time zone of this string, the month ends at a different instant than in UTC.
  ["2099-05-31T23:30:00-04:30", "2099-06-01T04:00:00Z"],
])("%s, at the end of a month, is sent as %s", (time, sent) => expect(toUtc(time, "start", 0)).toBe(sent));

test.each(["on 2099-05-01T16:00:00Z", "+2099-05-01T16:00:00Z", "12099-05-01T16:00:00Z"])(
  "%s is rejected because of the characters before the year",
  (time) => expect(() => toUtc(time, "start", 0)).toThrow(expect.objectContaining({ code: "invalid_time" })),
);

import { expect, test } from "vitest";
import { fc } from "../../../tools/property-seed.ts";
import { parseTimestamp } from "./timestamp.ts";

// Made without our code: date -u -d 2018-11-26T10:55:00Z +%s
const minute = 1_543_229_700_000;

test("reads minute precision as the whole minute", () =>
  expect(parseTimestamp("2018-11-26T10:55Z")).toEqual({ earliest: minute, latest: minute + 59_999 }));

test.each([
  ["2018-11-26T10:55:00Z", minute],
  ["2018-11-26T10:55:00+00:00", minute],
  ["2018-11-26T10:55:07.5Z", minute + 7_500],
  ["2018-11-26T10:55:07.123Z", minute + 7_123],
  ["2018-11-26T10:55:07.123000000Z", minute + 7_123],
])("reads %s as one instant", (text, time) => expect(parseTimestamp(text)).toEqual({ earliest: time, latest: time }));

test("accepts nanoseconds and keeps what a number can hold of them", () => {
  expect(parseTimestamp("2018-11-26T10:55:00.000000001Z")?.earliest).toBeCloseTo(minute, 3);
  expect(parseTimestamp("2018-11-26T10:55:00.999999999Z")?.earliest).toBeCloseTo(minute + 1_000, 2);
});

test("takes the 29th of February of a leap year only", () => {
  expect(parseTimestamp("2024-02-29T00:00Z")).toBeDefined();
  expect(parseTimestamp("2023-02-29T00:00Z")).toBeUndefined();
  expect(parseTimestamp("1900-02-29T00:00Z")).toBeUndefined();
});

test("does not take the year 18 for 1918", () =>
  expect(parseTimestamp("0018-11-26T10:55:00Z")?.earliest).toBe(Date.parse("0018-11-26T10:55:00.000Z")));

test.each([
  "",
  "1543229700",
  "1700000000junk",
  "2018-11-26",
  "2018-11-26T10Z",
  "2018-11-26T10:55",
  "2018-11-26 10:55Z",
  "2018-11-26t10:55z",
  "2018-11-26T10:55z",
  "2018-11-26T10:55+01:00",
  "2018-11-26T10:55-00:00",
  "2018-11-26T10:55+0000",
  "2018-11-26T10:55+00",
  "2018-11-26T10:55ZZ",
  "2018-11-26T10:55Z ",
  " 2018-11-26T10:55Z",
  "2018-11-26T10:55Z\n",
  "2018-11-26T10:55Z, 2018-11-26T10:55Z",
  "2018-11-26T10:55:00,5Z",
  "2018-11-26T10:55:00.Z",
  "2018-11-26T10:55:00.1234567890Z",
  "2018-11-26T10:55.5Z",
  "2018-11-26T24:00Z",
  "2018-11-26T10:60Z",
  "2016-12-31T23:59:60Z",
  "2018-13-01T10:55Z",
  "2018-00-01T10:55Z",
  "2018-04-31T10:55Z",
  "2018-11-00T10:55Z",
  "20181126T1055Z",
  "+002018-11-26T10:55Z",
  "-2018-11-26T10:55Z",
  "2018-W48-1T10:55Z",
  "Mon, 26 Nov 2018 10:55:00 GMT",
  "٢٠١٨-11-26T10:55Z",
  "NaN",
])("refuses %j", (text) => expect(parseTimestamp(text)).toBeUndefined());

test("reads back every instant that a Date can write in four-digit years", () =>
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
      (date) => {
        expect(parseTimestamp(date.toISOString())?.earliest).toBeCloseTo(date.getTime(), 3);
      },
    ),
  ));

test("answers any text without throwing, and only ISO 8601 with a time", () =>
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[0-9TZ:.+-]{0,40}$/)), (text) => {
      const time = parseTimestamp(text);
      if (time) expect(Number.isFinite(time.earliest) && /Z$|\+00:00$/.test(text)).toBe(true);
    }),
  ));

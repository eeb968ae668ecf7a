import { expect, test } from "vitest";
import { fc } from "../../../scripts/property-seed.ts";
import { compareDateTimes, parseDateTime, toPlainForm, toUtc } from "./date-time.ts";

// Computed without our code: date -u -d 2018-11-26T10:55:00Z +%s
const minute = 1_543_229_700_000;

test("parseDateTime reads a date-time without seconds as the whole minute [D-16]", () =>
  expect(parseDateTime("2018-11-26T10:55Z")).toEqual({ earliest: minute, latest: minute + 59_999 }));

test.each(["2018-11-26T10:55+00:00", "2018-11-26t10:55z", "2018-11-26 10:55-00:00", "2018-11-26T12:25+01:30"])(
  "parseDateTime reads %s as the same minute",
  (text) => expect(parseDateTime(text)).toEqual({ earliest: minute, latest: minute + 59_999 }),
);

test.each([
  ["2018-11-26T10:55:00Z", minute],
  ["2018-11-26T10:55:00+00:00", minute],
  ["2018-11-26T10:55:07.5Z", minute + 7_500],
  ["2018-11-26T10:55:07.123Z", minute + 7_123],
  ["2018-11-26T10:55:07.123000000Z", minute + 7_123],
  ["2018-11-26T10:55:07.12300000000000000000000Z", minute + 7_123],
  // RFC 3339, section 5.6: T and Z may be in lower case, and a space may replace the T.
  ["2018-11-26t10:55:00z", minute],
  ["2018-11-26T10:55:00z", minute],
  ["2018-11-26 10:55:00Z", minute],
  // Section 4.3: UTC with an unknown local offset.
  ["2018-11-26T10:55:00-00:00", minute],
  ["2018-11-26T11:55:00+01:00", minute],
  ["2018-11-26T07:25:00.5-03:30", minute + 500],
  ["2018-11-27T00:55:00+14:00", minute],
  ["2018-11-25T10:56:00-23:59", minute],
])("parseDateTime reads %s as one instant [D-96]", (text, time) =>
  expect(parseDateTime(text)).toEqual({ earliest: time, latest: time }),
);

test("parseDateTime accepts nanoseconds and preserves the digits that a number can represent", () => {
  expect(parseDateTime("2018-11-26T10:55:00.000000001Z")?.earliest).toBeCloseTo(minute, 3);
  expect(parseDateTime("2018-11-26T10:55:00.999999999Z")?.earliest).toBeCloseTo(minute + 1_000, 2);
});

test("parseDateTime accepts 29 February only in a leap year", () => {
  expect(parseDateTime("2024-02-29T00:00Z")).toBeDefined();
  expect(parseDateTime("2023-02-29T00:00Z")).toBeUndefined();
  expect(parseDateTime("1900-02-29T00:00Z")).toBeUndefined();
});

test("parseDateTime does not read the year 18 as 1918", () =>
  expect(parseDateTime("0018-11-26T10:55:00Z")?.earliest).toBe(Date.parse("0018-11-26T10:55:00.000Z")));

test.each([
  "",
  "1543229700",
  "1700000000junk",
  "2018-11-26",
  "2018-11-26T10Z",
  "2018-11-26T10:55",
  "2018-11-26T10:55+0000",
  "2018-11-26T10:55+24:00",
  "2018-11-26T10:55+01:60",
  "2018-11-26T10:55−01:00",
  "2018-11-26T10:55+1:00",
  "2018-11-26T10:55:00 Z",
  "2018-11-26  10:55:00Z",
  "2018-11-26\t10:55:00Z",
  "2018-11-26_10:55:00Z",
  // A leap second, which POSIX time cannot represent.
  "2016-12-31T23:59:60+00:00",
  // In UTC, these are in the years before 0000 and after 9999.
  "0000-01-01T00:00:00+00:01",
  "9999-12-31T23:59:00-00:01",
  "2018-11-26T10:55+00",
  "2018-11-26T10:55ZZ",
  "2018-11-26T10:55Z ",
  " 2018-11-26T10:55Z",
  "2018-11-26T10:55Z\n",
  "2018-11-26T10:55Z, 2018-11-26T10:55Z",
  "2018-11-26T10:55:00,5Z",
  "2018-11-26T10:55:00.Z",
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
])("parseDateTime rejects %j [D-16] [D-96]", (text) => expect(parseDateTime(text)).toBeUndefined());

test("parseDateTime reads every instant that Date.toISOString formats with a four-digit year", () =>
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
      (date) => {
        expect(parseDateTime(date.toISOString())?.earliest).toBeCloseTo(date.getTime(), 3);
      },
    ),
  ));

test("parseDateTime never throws, and accepts only ISO 8601 date-times with a zone", () =>
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[0-9TZ:.+-]{0,40}$/)), (text) => {
      const time = parseDateTime(text);
      if (time) expect(Number.isFinite(time.earliest) && /z$|[+-]\d\d:\d\d$/i.test(text)).toBe(true);
    }),
  ));

test.each([
  ["2099-05-01T16:00:00Z", "2099-05-01T16:00:00Z"],
  ["2099-05-01T16:00:00.10+00:00", "2099-05-01T16:00:00.10+00:00"],
  ["2099-05-01T16:00Z", "2099-05-01T16:00:00Z"],
  ["2099-05-01T16:00:00-00:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01t16:00:00.5z", "2099-05-01T16:00:00.5Z"],
  ["2099-05-01 16:00:00+00:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01T18:00:00+02:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01T23:30:00.123456789-04:30", "2099-05-02T04:00:00.123456789Z"],
  ["2099-12-31T23:59:59.99999999999999999999-00:01", "2100-01-01T00:00:59.99999999999999999999Z"],
  ["0050-01-01T00:00:00+00:30", "0049-12-31T23:30:00Z"],
  ["2099-05-01T16:00:00", undefined],
  ["soon", undefined],
])("toUtc converts %s to %s [D-96]", (text, utc) => expect(toUtc(text)).toBe(utc));

test.each([
  ["2099-05-01T18:00:00+02:00", "2099-05-01T18:00:00+02:00"],
  ["2099-05-01T16:00:00-00:00", "2099-05-01T16:00:00-00:00"],
  ["2099-05-01T18:00+02:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01 18:00:00+02:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01t16:00:00z", "2099-05-01T16:00:00Z"],
  ["2099-05-01", undefined],
])("toPlainForm converts %s to %s", (text, plain) => expect(toPlainForm(text)).toBe(plain));

test("toUtc and toPlainForm preserve the instant, in a form that Date parses", () =>
  fc.assert(
    fc.property(
      fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true }),
      fc.constantFrom("Z", "z", "-00:00", "+05:45", "-12:00"),
      fc.constantFrom("T", "t", " "),
      (date, zone, letter) => {
        const text = date.toISOString().replace("T", letter).replace("Z", zone);
        for (const converted of [toUtc(text), toPlainForm(text)])
          expect(Date.parse(converted ?? "")).toBe(parseDateTime(text)?.earliest);
      },
    ),
  ));

// In ascending order.
const ascending = [
  ["0000-01-01T00:00Z"],
  ["2099-05-01T16:00:00Z", "2099-05-01T16:00Z", "2099-05-01T18:00:00.000000+02:00", "2099-05-01 16:00:00.0z"],
  ["2099-05-01T16:00:00.0000000001Z"],
  ["2099-05-01T16:00:00.1231Z", "2099-05-01T11:30:00.12310-04:30"],
  ["2099-05-01T16:00:00.12310000000000000001Z"],
  ["2099-05-01T16:00:00.1239Z"],
  ["2099-05-01T16:00:00.99999999999999999999Z"],
  ["2099-05-01T16:00:01Z"],
  ["9999-12-31T23:59:59.9Z"],
];

test("compareDateTimes compares instants by every digit, in every notation [D-96]", () => {
  const ranked = ascending.flatMap((texts, rank) => texts.map((text) => ({ text, rank })));
  for (const a of ranked)
    for (const b of ranked)
      expect(compareDateTimes(a.text, b.text), `${a.text} ${b.text}`).toBe(Math.sign(a.rank - b.rank));
});

test.each(["2099-05-01", "2099-05-01T16:00:60Z", ""])("compareDateTimes returns NaN for %j", (text) => {
  expect(compareDateTimes(text, "2099-05-01T16:00:00Z")).toBeNaN();
  expect(compareDateTimes("2099-05-01T16:00:00Z", text)).toBeNaN();
});

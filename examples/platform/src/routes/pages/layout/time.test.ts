import { describe, expect, test } from "vitest";
import { toLocalTime } from "../../../time-zones/local-time.ts";
import { isTimeZone } from "../../../time-zones/time-zone.ts";
import { localTimes } from "./time.ts";

// The expected values follow from clock changes in the IANA time zone database.
describe("a local time", () => {
  test.each([
    ["Europe/London", "2027-07-01T09:00", "2027-07-01T08:00:00Z"],
    ["Europe/London", "2027-01-01T09:00", "2027-01-01T09:00:00Z"],
    ["America/St_Johns", "2027-07-01T09:00", "2027-07-01T11:30:00Z"],
    ["Pacific/Chatham", "2027-01-01T09:00", "2026-12-31T19:15:00Z"],
  ])("converts a local time to UTC and back: in %s, %s is %s", (timeZone, local, utc) => {
    expect(localTimes(timeZone).toUtc(local)).toBe(utc);
    expect(toLocalTime(new Date(utc), timeZone)).toBe(local);
  });

  test.each([
    ["Europe/London", "2027-03-28T01:30"],
    ["America/St_Johns", "2027-03-14T02:30"],
    ["Pacific/Chatham", "2027-09-26T03:00"],
  ])("rejects a local time in %s that a clock change skips, %s, with the reason [D-115]", (timeZone, local) => {
    expect(localTimes(timeZone).toUtc(local)).toBe(local);
    expect(localTimes(timeZone).findProblem(local)).toBe(
      `Choose a different time, because the clocks in ${timeZone} skip this time when they go forward.`,
    );
  });

  test("converts a time in a repeated hour to the earlier instant, and an end time to the first instant after the start [D-115]", () => {
    const { toUtc } = localTimes("Europe/London");
    expect(toUtc("2027-10-31T01:30")).toBe("2027-10-31T00:30:00Z");
    expect(toUtc("2027-10-31T01:15", toUtc("2027-10-31T01:45"))).toBe("2027-10-31T01:15:00Z");
  });

  test.each(["", "tomorrow", "2027-02-30T10:00", "2027-01-01T24:00", "2027-01-01 10:00", "2027-01-01T10:00Z"])(
    "rejects %j as a local time",
    (text) => {
      expect(localTimes("Europe/London").toUtc(text)).toBe(text);
      expect(localTimes("Europe/London").findProblem(text)).toMatch(/^Enter a date and a time/);
    },
  );
});

describe("a time span", () => {
  const formatSpan = async (timeZone: string, start: string, end: string) =>
    `${await localTimes(timeZone).timeSpan(start, end)}`.replaceAll(/\s+/g, " ");

  test("shows the day and offset of a time span once if its start and end share them", async () =>
    expect(await formatSpan("Europe/London", "2027-03-05T17:00:00Z", "2027-03-05T23:00:00Z")).toMatch(
      /Fri, 5 Mar 2027, 17:00\s?–\s?23:00 GMT/,
    ));

  test("shows both offsets of a time span that crosses a clock change [D-115]", async () =>
    expect(await formatSpan("Europe/London", "2027-03-28T00:30:00Z", "2027-03-28T02:30:00Z")).toContain(
      "Sun, 28 Mar 2027, 00:30 GMT – Sun, 28 Mar 2027, 03:30 BST",
    ));
});

test("accepts IANA time zone names, including old ones, and rejects offsets", () => {
  for (const name of ["Europe/London", "Pacific/Chatham", "Asia/Calcutta", "UTC"]) expect(isTimeZone(name)).toBe(true);
  for (const name of ["", "+05:30", "Mars/Olympus", "Europe/London\n", "x".repeat(100)])
    expect(isTimeZone(name)).toBe(false);
});

/** Formats times in one time zone, with the abbreviation of the time zone. */
export interface TimeFormats {
  time(instant: Date, precision?: "minutes" | "seconds"): string;
  /** Formats a time span with the days of the week. If it starts and ends on the same day, shows the day once. */
  span(start: Date, end: Date): string;
  day(instant: Date): string;
}

const formats = new Map<string, TimeFormats>();

/** Returns the formats for a time zone. They are cached, because creating them is slow. */
export function timeFormats(timeZone: string): TimeFormats {
  const zoneFormats = formats.get(timeZone) ?? createFormats(timeZone);
  formats.set(timeZone, zoneFormats);
  return zoneFormats;
}

function createFormats(timeZone: string): TimeFormats {
  const date = { day: "numeric", month: "short", year: "numeric", timeZone } as const;
  const minutes = { ...date, hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  const toMinutes = new Intl.DateTimeFormat("en-GB", minutes);
  const toSeconds = new Intl.DateTimeFormat("en-GB", { ...minutes, second: "2-digit" });
  const withWeekday = new Intl.DateTimeFormat("en-GB", { ...minutes, weekday: "short" });
  const dayOnly = new Intl.DateTimeFormat("en-GB", date);
  const hourAndOffset = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", timeZone, timeZoneName: "short" });
  // Remove the hour, so that only the offset remains.
  const formatOffset = (instant: Date) => hourAndOffset.format(instant).replace(/^\S+\s/, "");
  return {
    time: (instant, precision = "minutes") => (precision === "seconds" ? toSeconds : toMinutes).format(instant),
    span: (start, end) =>
      // `formatRange` shows only the later offset, even on a day with a clock change.
      formatOffset(start) === formatOffset(end)
        ? withWeekday.formatRange(start, end)
        : `${withWeekday.format(start)} – ${withWeekday.format(end)}`,
    day: (instant) => dayOnly.format(instant),
  };
}

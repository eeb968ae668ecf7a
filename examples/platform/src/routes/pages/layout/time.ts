import { isLocalTime, toInstants } from "../../../time-zones/local-time.ts";
import { timeFormats } from "../../../time-zones/time-formats.ts";
import { html, type Markup } from "./markup.ts";

/** Formats and parses times in the user's time zone (D-115). */
export interface LocalTimes {
  readonly timeZone: string;
  time(moment: Date | string, precision?: "minutes" | "seconds"): Markup;
  timeSpan(start: Date | string, end: Date | string): Markup;
  day(moment: Date | string): Markup;
  /**
   * Converts the value of a `datetime-local` input to UTC. Returns any other string unchanged, which validation then rejects.
   *
   * @param after for a local time that occurs twice, selects the first instant after this UTC time. @default the earlier instant
   */
  toUtc(local: string, after?: string): string;
  /** Explains why `toUtc` cannot convert the value. Returns undefined if it can. */
  findProblem(local: string): string | undefined;
}

export function localTimes(timeZone: string): LocalTimes {
  const formats = timeFormats(timeZone);
  const element = (date: Date, text: string): Markup => html`<time datetime="${date.toISOString()}">${text}</time>`;
  return {
    timeZone,
    time(moment, precision) {
      const date = new Date(moment);
      return element(date, formats.time(date, precision));
    },
    timeSpan: (start, end) => html`<span>${formats.span(new Date(start), new Date(end))}</span>`,
    day(moment) {
      const date = new Date(moment);
      return element(date, formats.day(date));
    },
    toUtc(local, after) {
      const instants = toInstants(local, timeZone);
      const laterInstant = after === undefined ? undefined : instants.find((instant) => instant > new Date(after));
      return (laterInstant ?? instants[0])?.toISOString().replace(".000Z", "Z") ?? local;
    },
    findProblem(local) {
      if (!isLocalTime(local)) return "Enter a date and a time, such as 2099-05-01T16:00.";
      if (toInstants(local, timeZone).length > 0) return undefined;
      return `Choose a different time, because the clocks in ${timeZone} skip this time when they go forward.`;
    },
  };
}

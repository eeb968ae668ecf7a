import type { Request } from "express";
import type { EventType } from "../../../store/tables.ts";
import { isLocalTime } from "../../../time-zones/local-time.ts";
import type { ShownState } from "../../../webhooks/disabled-endpoint.ts";
import { filterInput, filterSelect, hiddenParameters, linkBar, parseOption, withQuery } from "../layout/filter.ts";
import { html, type Markup } from "../layout/markup.ts";
import { readParameter, readSearchText } from "../layout/pagination.ts";
import type { LocalTimes } from "../layout/time.ts";
import { eventNames, failureLabels, stateLabels } from "./delivery-labels.ts";

export const ranges = {
  hour: { label: "the last hour", periodMs: 3_600_000, bucketCount: 30 },
  day: { label: "the last 24 hours", periodMs: 24 * 3_600_000, bucketCount: 24 },
  week: { label: "the last 7 days", periodMs: 7 * 24 * 3_600_000, bucketCount: 28 },
} as const;

/** The page's query parameters. */
export interface PageFilter {
  state: ShownState | undefined;
  type: EventType | undefined;
  /** The status of the last attempt. */
  status: number | undefined;
  /** The failure code of the last attempt. */
  error: string | undefined;
  range: keyof typeof ranges;
  /** Part of a worker's name or an offer's title, or the id of a worker, offer, delivery or event. */
  text: string | undefined;
  /** The start of the events' time range, as entered. */
  from: string | undefined;
  until: string | undefined;
  sort: "oldest" | undefined;
}

const orderNames = { newest: "Newest first", oldest: "Oldest first" };

const states = Object.keys(stateLabels) as ShownState[];
const types = Object.keys(eventNames) as EventType[];
const errors = Object.keys(failureLabels);

export function readFilter(request: Request): PageFilter {
  const status = readParameter(request, "status") ?? "";
  return {
    state: parseOption(states, readParameter(request, "state")),
    type: parseOption(types, readParameter(request, "type")),
    status: /^[1-5]\d\d$/.test(status) ? Number(status) : undefined,
    error: parseOption(errors, readParameter(request, "error")),
    range: parseOption(Object.keys(ranges) as PageFilter["range"][], readParameter(request, "range")) ?? "hour",
    text: readSearchText(request, "q"),
    from: readLocalTime(request, "from"),
    until: readLocalTime(request, "until"),
    sort: parseOption(["oldest"], readParameter(request, "sort")),
  };
}

function readLocalTime(request: Request, name: string): string | undefined {
  const text = readParameter(request, name);
  return text !== undefined && isLocalTime(text) ? text : undefined;
}

/** Converts the page's filter to a filter for the list. Its local times become instants. */
export function toListFilter({ range: _, from, until, sort, ...filter }: PageFilter, { toUtc }: LocalTimes) {
  const toInstant = (local: string | undefined) => {
    if (local === undefined) return undefined;
    const utc = toUtc(local);
    // Ignore a time that a clock change skips, which `toUtc` returns unchanged.
    return utc === local ? undefined : new Date(utc);
  };
  return { ...filter, since: toInstant(from), until: toInstant(until), oldestFirst: sort === "oldest" };
}

export const isUnfiltered = ({ range: _, sort: __, ...filter }: PageFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

/** Converts the filter to query parameters. Omits the default range. */
export const toParameters = ({ range, status, text, ...filter }: Partial<PageFilter>) => ({
  ...filter,
  q: text,
  status: status?.toString(),
  range: range === "hour" ? undefined : range,
});

export const deliveriesUrl = (filter: Partial<PageFilter>, before?: string): string =>
  withQuery("/deliveries", { ...toParameters(filter), before });

/** Returns the URL of the page that asks for confirmation before redelivering everything that matches the filter. */
export const redeliverUrl = (filter: PageFilter): string => withQuery("/deliveries/redeliver", toParameters(filter));

export const stateBar = (filter: PageFilter): Markup =>
  linkBar("State", [undefined, ...states], filter.state, (state) => [
    state === undefined ? "All" : stateLabels[state],
    deliveriesUrl({ ...filter, state }),
  ]);

export const rangeBar = (filter: PageFilter): Markup =>
  linkBar("Time", Object.keys(ranges) as PageFilter["range"][], filter.range, (range) => [
    ranges[range].label.replace("the last", "Last"),
    deliveriesUrl({ ...filter, range }),
  ]);

/** Renders the form that filters by worker or offer, time, event, and the last attempt's status and error. */
export const filterForm = (filter: PageFilter): Markup => {
  const { state, type, status, error, range, text, from, until, sort } = filter;
  // Links outside the form set the state and the range.
  const isCleared = sort === undefined && isUnfiltered({ ...filter, state: undefined });
  return html`
        <form method="get" action="/deliveries" role="search" class="row filters">
          ${hiddenParameters({ state, range: range === "hour" ? undefined : range })}
          ${filterInput({ name: "q", label: "Worker, offer or id", type: "search", value: text })}
          ${filterInput({ name: "from", label: "From", type: "datetime-local", value: from })}
          ${filterInput({ name: "until", label: "Before", type: "datetime-local", value: until })}
          ${filterSelect({ name: "type", label: "Event", options: eventNames, current: type, anyLabel: "Any" })}
          <div class="field">
            <label for="status">Last status</label>
            <input id="status" name="status" inputmode="numeric" pattern="[1-5][0-9][0-9]" size="4" value="${status ?? ""}" placeholder="503">
          </div>
          ${filterSelect({ name: "error", label: "Last error", options: failureLabels, current: error, anyLabel: "Any" })}
          ${filterSelect({ name: "sort", label: "Sort", options: orderNames, current: sort ?? "newest" })}
          <button class="quiet at-end">Filter</button>
          ${!isCleared && html`<a class="at-end" href="${deliveriesUrl({ state, range })}">Clear</a>`}
        </form>`;
};

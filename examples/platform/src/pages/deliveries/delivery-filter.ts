import type { Request } from "express";
import type { ShownState } from "../../dispatch/webhooks/shown-state.ts";
import type { EventType } from "../../store/tables.ts";
import { linkBar, oneOf, withQuery } from "../layout/filter.ts";
import { html, type Markup } from "../layout/markup.ts";
import { parameterOf } from "../layout/pagination.ts";
import { eventNames, failureLabels, stateLabels } from "./delivery-labels.ts";

export const ranges = {
  hour: { label: "the last hour", lastMs: 3_600_000, count: 30 },
  day: { label: "the last 24 hours", lastMs: 24 * 3_600_000, count: 24 },
  week: { label: "the last 7 days", lastMs: 7 * 24 * 3_600_000, count: 28 },
} as const;

/** What the page shows, as its query parameters say. */
export interface PageFilter {
  state: ShownState | undefined;
  type: EventType | undefined;
  /** Of the last attempt. */
  status: number | undefined;
  /** Failure code of the last attempt. */
  error: string | undefined;
  range: keyof typeof ranges;
}

const states = Object.keys(stateLabels) as ShownState[];
const types = Object.keys(eventNames) as EventType[];
const errors = Object.keys(failureLabels);

export function filterOf(request: Request): PageFilter {
  const status = parameterOf(request, "status") ?? "";
  return {
    state: oneOf(states, parameterOf(request, "state")),
    type: oneOf(types, parameterOf(request, "type")),
    status: /^[1-5]\d\d$/.test(status) ? Number(status) : undefined,
    error: oneOf(errors, parameterOf(request, "error")),
    range: oneOf(Object.keys(ranges) as PageFilter["range"][], parameterOf(request, "range")) ?? "hour",
  };
}

export const isUnfiltered = ({ range: _, ...filter }: PageFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

export const addressOf = ({ range, status, ...filter }: PageFilter, before?: string): string =>
  withQuery("/deliveries", {
    ...filter,
    status: status?.toString(),
    range: range === "hour" ? undefined : range,
    before,
  });

export const stateBar = (filter: PageFilter): Markup =>
  linkBar("State", [undefined, ...states], filter.state, (state) => [
    state === undefined ? "All" : stateLabels[state],
    addressOf({ ...filter, state }),
  ]);

export const rangeBar = (filter: PageFilter): Markup =>
  linkBar("Time", Object.keys(ranges) as PageFilter["range"][], filter.range, (range) => [
    ranges[range].label.replace("the l", "L"),
    addressOf({ ...filter, range }),
  ]);

/** By event, and by status and error of the last attempt. */
export const filterForm = ({ state, type, status, error, range }: PageFilter): Markup => html`
        <form method="get" action="/deliveries" class="row filters" aria-label="Filter">
          ${state && html`<input type="hidden" name="state" value="${state}">`}
          ${range !== "hour" && html`<input type="hidden" name="range" value="${range}">`}
          ${select("type", "Event", types, eventNames, type)}
          <div class="field">
            <label for="status">Last status</label>
            <input id="status" name="status" inputmode="numeric" pattern="[1-5][0-9][0-9]" size="4" value="${status ?? ""}" placeholder="503">
          </div>
          ${select("error", "Last error", errors, failureLabels, error)}
          <button class="quiet at-end">Filter</button>
          ${(type ?? status ?? error) && html`<a class="at-end" href="${addressOf({ state, range, type: undefined, status: undefined, error: undefined })}">Clear</a>`}
        </form>`;

const select = (
  name: string,
  label: string,
  values: readonly string[],
  names: Readonly<Record<string, string>>,
  current: string | undefined,
): Markup => html`
          <div class="field">
            <label for="${name}">${label}</label>
            <select id="${name}" name="${name}">
              <option value="">Any</option>
              ${values.map((value) => html`<option value="${value}"${value === current && html` selected`}>${names[value]}</option>`)}
            </select>
          </div>`;

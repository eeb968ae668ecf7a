import type { FieldErrors } from "../../../http/problem.ts";
import { field, fieldError, formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { idempotencyField } from "../routing/submit-once.ts";
import type { PortalContext } from "../sections/portal-section.ts";
import { allWorkerIds, type CreationDraft, filledSlots } from "./creation-draft.ts";

interface Candidate {
  id: string;
  name: string;
}

export interface FoundWorkers {
  /** The selected workers, who are always shown, even if they do not match the search. */
  selected: readonly Candidate[];
  /** The first unselected workers who match the search. */
  shown: readonly Candidate[];
  /** The number of workers who match, including selected workers, up to the limit of the search. */
  matchingCount: number;
  /** The number of matching workers who are not shown. */
  hiddenCount: number;
}

interface NewOfferForm {
  draft: CreationDraft;
  errors: FieldErrors;
  workers: FoundWorkers;
  /** The places that have a name. */
  places: readonly Candidate[];
}

/** Renders the form for a new offer, with its field errors. */
export function newOfferForm(context: PortalContext, { draft, errors, workers, places }: NewOfferForm): Markup {
  const { title, details, locationPlaceId, notifyEmailAddress } = draft;
  // Pressing Enter in a field activates the first button, and an offer cannot be taken back, so the form starts with a hidden search button.
  return html`
    <form method="post" action="/offers/new" class="stack">
      ${formTokenField(context)}
      ${idempotencyField()}
      <button name="act" value="searchWorkers" class="unseen" formaction="/offers/new#who" formnovalidate tabindex="-1" aria-hidden="true">Search</button>
      <section class="panel" aria-labelledby="what">
        <h2 id="what">What</h2>
        ${context.user.organisations.length > 1 && organisationSelect(context, draft)}
        ${field({ name: "title", label: "Title", value: title, required: true, errors: errors.get("title"), placeholder: "Kitchen help on Friday" })}
        ${field({ name: "details", label: "Details", value: details, rows: 4, errors: errors.get("details") })}
        <div class="pair">
          ${places.length > 0 && placeSelect(places, draft)}
          ${field({ name: "locationPlaceId", label: places.length > 0 ? "Another place" : "Place", value: locationPlaceId, hint: "The id of the workplace.", errors: errors.get("locationPlaceId") })}
        </div>
        ${field({ name: "notifyEmailAddress", label: "Contact", type: "email", value: notifyEmailAddress, hint: "Receives emails about the offer.", errors: errors.get("notifyEmailAddress") })}
      </section>
      ${slotsSection(context, draft, errors)}
      ${workersSection(draft, errors, workers)}
      <div class="row act-bar" id="create" tabindex="-1">
        <button name="act" value="create">Create the offer</button>
        <a class="button quiet" href="/offers">Cancel</a>
        <p class="fine">The selected workers will be notified immediately.</p>
      </div>
    </form>`;
}

/** Renders a select of the organisations for which an agency's user can create the offer (D-117). */
const organisationSelect = ({ user }: PortalContext, draft: CreationDraft): Markup => html`
        <div class="field">
          <label for="organisationId">For</label>
          <select id="organisationId" name="organisationId">
            ${user.organisations.map(({ id, name }) => html`<option value="${id}"${id === draft.organisationId && html` selected`}>${name}</option>`)}
          </select>
        </div>`;

/** Renders a select of the named places. The field after it accepts any place id. */
const placeSelect = (places: readonly Candidate[], draft: CreationDraft): Markup => html`
          <div class="field">
            <label for="place">Place</label>
            <p class="hint" id="place-hint">Name more places under <a href="/places">Places</a>.</p>
            <select id="place" name="place" aria-describedby="place-hint">
              <option value="">None</option>
              ${places.map(({ id, name }) => html`<option value="${id}"${id === draft.place && html` selected`}>${name}</option>`)}
            </select>
          </div>`;

function slotsSection({ times }: PortalContext, draft: CreationDraft, errors: FieldErrors): Markup {
  const slotsInRequest = filledSlots(draft);
  return html`
      <section class="panel" id="slots" aria-labelledby="when">
        <h2 id="when">When</h2>
        <p class="hint">Times are in ${times.timeZone}. Empty slots are ignored.</p>
        ${draft.slots.map((slot, position) => {
          const index = slotsInRequest.indexOf(slot);
          const slotErrors = (name: "start" | "end") => {
            const apiErrors = errors.get(`events[${index}].${name}`);
            const problem = times.findProblem(slot[name]);
            // Replace the API error, which asks for a time in UTC.
            return apiErrors === undefined || problem === undefined ? apiErrors : [problem];
          };
          return html`
        <fieldset class="pair">
          <legend>Time slot ${position + 1}</legend>
          ${field({ name: "start", id: `start-${position}`, label: "Start", type: "datetime-local", marksOptional: false, value: slot.start, errors: slotErrors("start") })}
          ${field({ name: "end", id: `end-${position}`, label: "End", type: "datetime-local", marksOptional: false, value: slot.end, errors: slotErrors("end") })}
        </fieldset>`;
        })}
        ${errors.has("events") && fieldError("events", errors.get("events") ?? [])}
        <p><button name="act" value="addSlot" class="quiet small" formnovalidate>Add a time slot</button></p>
      </section>`;
}

function workersSection(draft: CreationDraft, errors: FieldErrors, workers: FoundWorkers): Markup {
  const problems = workerErrors(draft, errors);
  const { workerSearch: search } = draft;
  const { selected, shown, matchingCount } = workers;
  return html`
      <section class="panel" id="who" aria-labelledby="who-title">
        <h2 id="who-title">Who</h2>
        <a class="skip-list" href="#create">Skip the list of workers</a>
        <div class="search">
          <label for="workerSearch">Search workers</label>
          <div class="row">
            <input type="search" id="workerSearch" name="workerSearch" value="${search}" maxlength="200" placeholder="Name or id">
            <button name="act" value="searchWorkers" class="quiet" formaction="/offers/new#who" formnovalidate>Search</button>
          </div>
        </div>
        <fieldset${problems.length > 0 && html` aria-describedby="workers-error"`}>
          <legend>Workers</legend>
          ${
            matchingCount === 0
              ? html`<p class="hint">${search === "" ? "There are no workers yet." : "No worker matches."}</p>`
              : html`
          <div class="row">
            <p class="hint" role="status" id="matching">${describeMatches(workers, search)} <span data-selected hidden></span></p>
            <button name="act" value="selectMatching" class="quiet small" formaction="/offers/new#who" formnovalidate>Select all ${search === "" ? matchingCount : "that match"}</button>
          </div>`
          }
          ${selected.length > 0 && html`<div class="choices long" role="group" aria-label="Selected workers" tabindex="0">${selected.map((worker) => workerChoice(worker, true))}</div>`}
          <div class="choices">${shown.map((worker) => workerChoice(worker, false))}</div>
        </fieldset>
        ${field({ name: "moreWorkerIds", label: "Ids of other workers", rows: 3, value: draft.moreWorkerIds, hint: "One per line." })}
        ${problems.length > 0 && fieldError("workers", problems)}
      </section>`;
}

/** Describes the search result, such as `70 workers match “kitchen”; 10 not shown.` */
function describeMatches({ matchingCount, hiddenCount }: FoundWorkers, search: string): string {
  const verb = matchingCount === 1 ? "matches" : "match";
  const condition = search === "" ? "" : ` ${verb} “${search}”`;
  const hiddenNote = hiddenCount > 0 ? `; ${hiddenCount} not shown` : "";
  return `${formatCount(matchingCount, "worker")}${condition}${hiddenNote}.`;
}

const workerChoice = ({ id, name }: Candidate, isSelected: boolean): Markup =>
  html`<label class="choice"><input type="checkbox" name="worker" value="${id}"${isSelected && html` checked`}> <span>${name}<small>${id}</small></span></label>`;

/** Returns the errors about workers. Replaces a position, such as `workerIds[2]`, with the worker's id. */
function workerErrors(draft: CreationDraft, errors: FieldErrors): string[] {
  const ids = allWorkerIds(draft);
  return [
    ...(errors.get("workerIds") ?? []),
    ...ids.flatMap((id, index) => (errors.get(`workerIds[${index}]`) ?? []).map((text) => `${id}: ${text}`)),
  ];
}

import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import { type Place, placeSchema, readPlaces, removePlaceName, setPlaceName } from "../../portal/profile/places.ts";
import { dataTable } from "../layout/data-table.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";

/** `GET /places`: lists the places that the organisation has named (D-131). */
export const placesPage: PortalPage = (context) => renderPlaces(context);

/** `POST /places`: sets or replaces a place's name. */
export const handleNamePlace: PortalForm = async (context, form) => {
  const draft = readPlace(form);
  try {
    const place = parseBody(placeSchema, draft);
    await setPlaceName(context.deps, context.user, place);
    return { to: "/places", notice: `Pages and emails now show “${place.name}” instead of ${place.id}.` };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors === undefined) throw error;
    return { ...(await renderPlaces(context, draft, error.errors)), status: 422 };
  }
};

/** Renders the form again with the input that was submitted before the session expired. */
export const restorePlaceForm: PortalForm = (context, form) => renderPlaces(context, readPlace(form));

const readPlace = (form: URLSearchParams): Place => ({
  id: form.get("id")?.trim() ?? "",
  name: form.get("name")?.trim() ?? "",
});

/** `POST /places/remove` */
export const handleRemovePlace: PortalForm = async ({ deps, user }, form) => {
  const { id } = parseBody(placeSchema.pick({ id: true }), { id: form.get("id") });
  await removePlaceName(deps, user, id);
  return { to: "/places", notice: `The name of ${id} was removed. Offers show the id again.` };
};

async function renderPlaces(context: PortalContext, draft: Partial<Place> = {}, errors?: FieldErrors): Promise<Page> {
  const { deps, user } = context;
  const places = await readPlaces(deps, [user.organisationId]);
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="/company">Company profile</a></p>
        <h1>Places</h1>
      </div>
    </header>
    <p class="lead">The API identifies a place by its id. Pages, emails and the worker's app show the name that you enter here.</p>
    <section class="panel" aria-label="Places">
      ${places.length === 0 ? html`<p class="empty">No place has a name yet, so offers show place ids.</p>` : placesTable(context, places)}
    </section>
    <form method="post" action="/places" class="panel narrow">
      <h2>Name a place</h2>
      ${formTokenField(context)}
      ${field({ name: "id", label: "Place id", value: draft.id, required: true, hint: "The id that your programs send as locationPlaceId.", errors: errors?.get("id"), autocomplete: "off" })}
      ${field({ name: "name", label: "Name", value: draft.name, required: true, hint: "Replaces the current name if the place already has one.", errors: errors?.get("name"), autocomplete: "off" })}
      <button>Save the name</button>
    </form>`;
  return { title: "Places", main };
}

const placesTable = (context: PortalContext, rows: readonly Place[]): Markup =>
  dataTable<Place>({
    caption: "Places, by name",
    columns: [
      { heading: "Name", cell: ({ name }) => name },
      { heading: "Id", cell: ({ id }) => html`<code>${id}</code>` },
      { heading: "Remove", cell: (place) => removeForm(context, place) },
    ],
    rows,
  });

const removeForm = (context: PortalContext, { id, name }: Place): Markup => html`
  <form method="post" action="/places/remove">
    ${formTokenField(context)}
    <button class="quiet small" name="id" value="${id}" aria-label="Remove the name ${name}">Remove the name</button>
  </form>`;

import { sql } from "kysely";

/**
 * A SQL expression for the name of an offer's place, or its id if the organisation has not named it. Empty if the offer has no
 * place. The API uses only ids (D-131).
 */
export const placeName = sql<string>`coalesce(
  (select name from places where places.organisation_id = offers.organisation_id and places.id = offers.location_place_id),
  offers.location_place_id)`;

import { sql } from "kysely";

/**
 * The place of an offer, for people: the name that its organisation gave it, or its id if it has no name; empty without a place. The API
 * uses only ids (D-131).
 */
export const placeName = sql<string>`coalesce(
  (select name from places where places.organisation_id = offers.organisation_id and places.id = offers.location_place_id),
  offers.location_place_id)`;

import { sql } from "kysely";

/**
 * Of an offer, for people: the name that its organisation has given the place, or the place's id while it has none; empty without a
 * place. The API knows ids only (D-131).
 */
export const placeName = sql<string>`coalesce(
  (select name from places where places.organisation_id = offers.organisation_id and places.id = offers.location_place_id),
  offers.location_place_id)`;

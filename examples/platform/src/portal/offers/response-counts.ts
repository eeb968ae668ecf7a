import type { ExpressionBuilder } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Tables } from "../../store/tables.ts";

/** Counts of an offer's responses as rows, for {@link responseCounts}. */
export const countedResponses = ({ selectFrom }: ExpressionBuilder<Tables, "offers">) =>
  jsonArrayFrom(
    selectFrom("recipients")
      .select(["response", ({ fn }) => fn.countAll<number>().as("count")])
      .whereRef("offer_id", "=", "offers.id")
      .groupBy("response"),
  ).as("counts");

export function responseCounts(counts: readonly { response: string; count: number }[]) {
  const of = (name: string): number => counts.find(({ response }) => response === name)?.count ?? 0;
  return { applied: of("applied"), rejected: of("rejected"), none: of("none") };
}

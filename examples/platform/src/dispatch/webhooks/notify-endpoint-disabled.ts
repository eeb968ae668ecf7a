import type { Trx } from "../../store/store.ts";
import type { DisabledBecause } from "../../store/tables.ts";
import { writeMails } from "../mail/write-mails.ts";

/** Writes to each person of the organisation, once for each disabling (D-73): in the transaction that disables. */
export async function notifyEndpointDisabled(
  trx: Trx,
  organisationId: string,
  because: DisabledBecause,
): Promise<void> {
  const people = await trx
    .selectFrom("people")
    .innerJoin("person_email_addresses", "person_id", "people.id")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .distinctOn("people.id")
    .select(["people.name", "email_address as address", "organisations.name as organisation"])
    .where("people.organisation_id", "=", organisationId)
    .orderBy("people.id")
    .orderBy("email_address")
    .execute();
  const mails = people.map(({ name, address, organisation }) => ({
    to_address: address,
    subject: `${organisation}: your webhooks are switched off`,
    body: `Dear ${name},\n\n${reasons[because]}, so we call it no more. Nothing is lost: what happens meanwhile is \
kept, and delivered in its order once you save your company profile again or switch the endpoint on there.\n`,
  }));
  await writeMails(trx, mails);
}

const reasons: Record<DisabledBecause, string> = {
  gone: "Your organisation's webhook endpoint responded that it is gone for good (410)",
  failing:
    "Your organisation's webhook endpoint has acknowledged nothing for five days (only a response with 200 does; 204, which many frameworks send for a handler that returns nothing, does not)",
};

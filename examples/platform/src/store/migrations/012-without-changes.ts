import { type Kysely, sql } from "kysely";

// Whoever changes something says so after the commit; see signals/.
const statements = `
drop trigger note_inserted on offers;
drop trigger note_updated on offers;
drop trigger note_updated on recipients;
drop trigger note_inserted on deliveries;
drop trigger note_updated on deliveries;
drop trigger note_inserted on endpoints;
drop trigger note_updated on endpoints;
drop trigger note_inserted on mails;
drop trigger note_updated on mails;
drop function note_changed_offers(), note_changed_recipients(), note_changed_deliveries(), note_changed_endpoints(),
  note_changed_mails();
drop table changes;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}

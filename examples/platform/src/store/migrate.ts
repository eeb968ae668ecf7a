import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import * as firstTables from "./migrations/001-first-tables.ts";
import * as keysAndAgencies from "./migrations/002-keys-and-agencies.ts";
import * as endpointHealth from "./migrations/003-endpoint-health.ts";
import * as operations from "./migrations/004-operations.ts";
import * as deliveryOrder from "./migrations/005-delivery-order.ts";
import * as changes from "./migrations/006-changes.ts";
import * as toldNotifications from "./migrations/007-told-notifications.ts";
import * as sealCheckAndLastFailure from "./migrations/008-seal-check-and-last-failure.ts";
import * as contactsAndDevices from "./migrations/009-contacts-and-devices.ts";
import * as shownSuggestions from "./migrations/010-shown-suggestions.ts";
import * as outbox from "./migrations/011-outbox.ts";
import * as withoutChanges from "./migrations/012-without-changes.ts";
import type { Tables } from "./tables.ts";

/** Applied in the order of their names. One that was released never changes again: add the next. */
const migrations = {
  "001-first-tables": firstTables,
  "002-keys-and-agencies": keysAndAgencies,
  "003-endpoint-health": endpointHealth,
  "004-operations": operations,
  "005-delivery-order": deliveryOrder,
  "006-changes": changes,
  "007-told-notifications": toldNotifications,
  "008-seal-check-and-last-failure": sealCheckAndLastFailure,
  "009-contacts-and-devices": contactsAndDevices,
  "010-shown-suggestions": shownSuggestions,
  "011-outbox": outbox,
  "012-without-changes": withoutChanges,
};

/** Brings the tables up to date. Two processes may start at once: kysely's migrator takes an advisory lock. */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

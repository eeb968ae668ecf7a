import { randomUUID } from "node:crypto";
import type { Inbox } from "@offers/webhook-kit/postgres";

/** A guard of the register that is taken out: what it remembers, or the lock under which it is read. */
export type Sabotage = "none" | "register" | "lock";

/** An inbox without one of its guards. The test must notice. */
export function sabotaged<Tx>(inbox: Inbox<Tx>, sabotage: Sabotage): Inbox<Tx> {
  const { find, update } = inbox.responses;
  if (sabotage === "register")
    return {
      ...inbox,
      responses: {
        find: async (recipients) => recipients.map(() => undefined),
        update: (recipient, context, handle) => update(recipient, context, () => handle(undefined)),
      },
    };
  if (sabotage === "lock")
    return {
      ...inbox,
      responses: {
        find,
        async update(recipient, context, handle) {
          const [last] = await find([recipient]);
          let response: string | undefined;
          // Locks an entry that no other call locks.
          await update({ ...recipient, tenant: randomUUID() }, context, async () => {
            response = await handle(last);
            return response;
          });
          await update(recipient, {}, async () => response);
        },
      },
    };
  return inbox;
}

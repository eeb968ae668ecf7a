import type { Store } from "../store/store.ts";

/** A kind of user with its own sign-in. A session of one role gives no access to another. */
export interface Role {
  /** The column of the session's owner. */
  readonly owner: "person_id" | "worker_id";
  /** The name of the sign-in field beside `password`. */
  readonly name: "emailAddress" | "workerId";
  readonly sessionPath: string;
  find(store: Store, name: string): Promise<{ id: string; password_hash: string } | undefined>;
}

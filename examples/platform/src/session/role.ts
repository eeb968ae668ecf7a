import type { Store } from "../store/store.ts";

/** A kind of user with a sign-in of its own; a session of one opens nothing of another. */
export interface Role {
  /** Where a session says whose it is. */
  readonly owner: "person_id" | "worker_id";
  /** What the user signs in with, beside the password. */
  readonly name: "emailAddress" | "workerId";
  readonly sessionPath: string;
  find(store: Store, name: string): Promise<{ id: string; password_hash: string } | undefined>;
}

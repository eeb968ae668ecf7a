import type { Store } from "../store/store.ts";
import type { CheckPassword } from "./check-password.ts";
import type { Role } from "./role.ts";
import { type NewSession, openSession, signInFailed } from "./sessions.ts";

export interface SignInDeps {
  store: Store;
  now: () => Date;
  checkPassword: CheckPassword;
}

/**
 * Opens a session for whoever has this name and password.
 *
 * @throws {ProblemError} `sign_in_failed` or `too_many_sign_ins`
 */
export async function signIn(deps: SignInDeps, role: Role, name: string, password: string): Promise<NewSession> {
  const found = await role.find(deps.store, name);
  const proven = await deps.checkPassword(`${role.name} ${name.toLowerCase()}`, password, found?.password_hash);
  if (!found || !proven) throw signInFailed();
  return await openSession(deps.store, role, found.id, deps.now());
}

import type { Store } from "../store/store.ts";
import type { CheckPassword } from "./check-password.ts";
import type { Role } from "./role.ts";
import { type NewSession, openSession, signInFailed } from "./sessions.ts";

export interface SignInDeps {
  store: Store;
  now: () => Date;
  checkPassword: CheckPassword;
}

export interface Credentials {
  name: string;
  password: string;
  /** Where they come from: wrong ones are counted for it (D-55). */
  address: string;
}

/**
 * Opens a session for the owner of this name and password.
 *
 * @throws {ProblemError} `sign_in_failed` or `too_many_sign_ins`
 */
export async function signIn(
  deps: SignInDeps,
  role: Role,
  { name, password, address }: Credentials,
): Promise<NewSession> {
  const found = await role.find(deps.store, name);
  const account = `${role.name} ${name.toLowerCase()}`;
  const proven = await deps.checkPassword({ account, address }, password, found?.password_hash);
  if (!found || !proven) throw signInFailed();
  return await openSession(deps.store, role, found.id, deps.now());
}

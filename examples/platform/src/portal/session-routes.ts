import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import { verifyPassword } from "../session/passwords.ts";
import { closeSession, openSession, signInFailed } from "../session/sessions.ts";
import type { PortalDeps } from "./portal-deps.ts";

const credentialsSchema = z.strictObject({ emailAddress: textField, password: textField });

/** `POST /portal/session` */
export const signInRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { emailAddress, password } = parseBody(credentialsSchema, await deps.readJson(request, response));
    const person = await deps.store.db
      .selectFrom("people")
      .innerJoin("person_email_addresses", "person_id", "people.id")
      .select(["people.id", "password_hash"])
      .where("email_address", "=", emailAddress)
      .executeTakeFirst();
    const proven = await verifyPassword(password, person?.password_hash);
    if (!person || !proven) throw signInFailed();
    response.status(201).json(await openSession(deps.store, { person_id: person.id }, deps.now()));
  };

/** `DELETE /portal/session` */
export const signOutRoute =
  ({ store }: Pick<PortalDeps, "store">): RequestHandler =>
  async (request, response) => {
    await closeSession(store, request);
    response.status(204).end();
  };

import type { Request, RequestHandler, Response, Router } from "express";
import { z } from "zod";
import type { CookieSettings } from "../http/encrypted-cookie.ts";
import type { EventStreams } from "../http/event-streams.ts";
import { textField } from "../http/fields.ts";
import type { PagedList } from "../http/list-cursor.ts";
import { createJsonReader, maxCredentialsBytes, type ReadJson } from "../http/read-body.ts";
import { defineRoutes, type Methods, pathParameter } from "../http/routes.ts";
import { parseBody, rejectUnknownParameters } from "../http/validation.ts";
import type { Store } from "../store/store.ts";
import { changePassword, passwordChangeSchema, signOutEverywhere } from "./change-password.ts";
import {
  authenticateUser,
  bearerToken,
  closeSession,
  type Role,
  requireSession,
  type Session,
  type SignedInDeps,
  type SignInDeps,
  signIn,
} from "./sessions.ts";
import { openVisitor } from "./visitor.ts";

/** An authenticated request to a JSON route. */
export interface SignedInCall<User> {
  user: User;
  /** The path parameter `id`. */
  id: string;
  /** Reads and validates the JSON body. */
  read: <Schema extends z.ZodType>(schema: Schema) => Promise<z.infer<Schema>>;
  response: Response;
}

/** Creates JSON routes for signed-in users with one role. */
export function createSignedInRoutes<Deps extends SessionDeps, User>(
  deps: Deps,
  role: Role,
  readUser: (store: Store, session: Session) => Promise<User> | User,
) {
  const authenticateAndReadUser = async (request: Request, parameters: readonly string[] = []): Promise<User> =>
    readUser(deps.store, await authenticateUser(deps, request, role, { parameters }));
  return {
    /** Responds with the result of `run` as JSON, or with 204 if there is no result. */
    route(run: (call: SignedInCall<User>) => Promise<unknown>, status = 200): RequestHandler {
      return async (request, response) => {
        const user = await authenticateAndReadUser(request);
        const result = await run({
          user,
          id: pathParameter(request, "id"),
          read: async (schema) => parseBody(schema, await deps.readJson(request, response)),
          response: response.status(status),
        });
        if (result === undefined) response.status(204).end();
        else response.json(result);
      };
    },
    /** Responds with one page of a list, as `{ [name]: rows, next }`. */
    list<Schema extends z.ZodObject>(
      { cursor, read }: PagedList<Deps, User, unknown, z.infer<Schema>>,
      parameters: Schema,
    ): RequestHandler {
      return async (request, response) => {
        const user = await authenticateAndReadUser(request, Object.keys(parameters.shape));
        const { rows, next } = await read(deps, user, parseBody(parameters, { ...request.query }));
        response.json({ [cursor.name]: rows, next });
      };
    },
  };
}

export interface SessionDeps extends SignInDeps, SignedInDeps {
  readJson: ReadJson;
  streams: EventStreams;
  cookies: CookieSettings;
}

const readCredentials = createJsonReader({ limitBytes: maxCredentialsBytes, inflate: false });

/** Adds a role's routes for signing in and out, and for changing the password. */
export function mountSessions(router: Router, deps: SessionDeps, role: Role): void {
  defineRoutes(router, role.sessionPath, sessionMethods(deps, role));
  defineRoutes(router, `${role.sessionPath}s`, {
    // Ends all of the user's sessions. Like signing out, it is not counted.
    async delete(request, response) {
      rejectUnknownParameters(request);
      const { ownerId } = await requireSession(deps, request, role);
      await signOutEverywhere(deps, role, ownerId);
      response.status(204).end();
    },
  });
  const { route } = createSignedInRoutes(deps, role, (_store, session) => session);
  defineRoutes(router, role.sessionPath.replace("session", "password"), {
    put: route(async ({ user: session, read, response }) =>
      changePassword(deps, role, { session, address: response.req.ip ?? "" }, await read(passwordChangeSchema)),
    ),
  });
}

/** Returns the methods of a role's session path: POST signs in, DELETE signs out. */
function sessionMethods(deps: SessionDeps, role: Role): Methods {
  const credentialsSchema = z.strictObject({ [role.name]: textField, password: textField });
  return {
    async post(request, response) {
      rejectUnknownParameters(request);
      const visitor = await openVisitor(deps.cookies, request, response);
      await deps.personLimits.count(visitor.limitKey, "act");
      const credentials = parseBody(credentialsSchema, await readCredentials(request, response));
      const { [role.name]: name = "", password = "" } = credentials;
      response.status(201).json(await signIn(deps, role, { name, password, visitor }));
    },
    async delete(request, response) {
      rejectUnknownParameters(request);
      const closedId = await closeSession(deps.store, bearerToken(request), role);
      if (closedId !== undefined) deps.streams.end(closedId);
      response.status(204).end();
    },
  };
}

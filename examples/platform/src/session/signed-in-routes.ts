import type { Request, RequestHandler, Response } from "express";
import type { z } from "zod";
import { pathParameter } from "../http/path-parameter.ts";
import type { Listed } from "../lists/list-cursor.ts";
import type { Store } from "../store/store.ts";
import { parseBody } from "../validation/parse-body.ts";
import type { Role } from "./role.ts";
import type { SessionDeps } from "./session-methods.ts";
import { type Session, signedIn } from "./sessions.ts";

/** An authenticated request of a JSON route. */
export interface SignedInCall<User> {
  user: User;
  /** The path parameter `id`. */
  id: string;
  /** Reads the JSON body. */
  readBody: () => Promise<unknown>;
  response: Response;
}

export interface SignedInRoutes<User> {
  /**
   * Responds with the result of `run` as JSON, or with 204 without a result.
   *
   * @param status @default 200
   */
  route(run: (call: SignedInCall<User>) => Promise<unknown>, status?: number): RequestHandler;
  /**
   * Responds with one page of a list, as `{ [name]: rows, next }`.
   *
   * @param schema query parameters, from `listSchema`
   */
  list<Schema extends z.ZodObject>(
    name: string,
    schema: Schema,
    read: (user: User, query: z.infer<Schema>) => Promise<Listed<unknown>>,
  ): RequestHandler;
}

/** JSON routes for signed-in users of one role. */
export function signedInRoutes<User>(
  deps: SessionDeps,
  role: Role,
  readUser: (store: Store, session: Session) => Promise<User> | User,
): SignedInRoutes<User> {
  const userOf = async (request: Request, parameters: readonly string[] = []): Promise<User> =>
    readUser(deps.store, await signedIn(deps, request, role, { parameters }));
  return {
    route:
      (run, status = 200) =>
      async (request, response) => {
        const user = await userOf(request);
        const readBody = () => deps.readJson(request, response);
        const result = await run({
          user,
          id: pathParameter(request, "id"),
          readBody,
          response: response.status(status),
        });
        if (result === undefined) response.status(204).end();
        else response.json(result);
      },
    list: (name, schema, read) => async (request, response) => {
      const user = await userOf(request, Object.keys(schema.shape));
      const { rows, next } = await read(user, parseBody(schema, { ...request.query }));
      response.json({ [name]: rows, next });
    },
  };
}

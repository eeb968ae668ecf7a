import { type AppDeps, createApp } from "../../src/create-app.ts";

export interface MountedRoute {
  method: string;
  path: string;
}

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
}

/** Lists every route that the platform mounts. Reads the routes from Express, so that none is missing. */
export function listMountedRoutes(): MountedRoute[] {
  // Routes use their dependencies only while they handle requests, so stand-ins suffice.
  const standIn: object = new Proxy(() => standIn, { get: () => standIn });
  const realDeps = { cookies: { isSecure: false } };
  const deps = new Proxy(realDeps, { get: (_, name) => Reflect.get(realDeps, name) ?? standIn });
  const app = createApp(deps as unknown as AppDeps) as unknown as { router: { stack: Layer[] } };
  const listRoutes = ({ route, handle }: Layer): MountedRoute[] => {
    if (route === undefined) return (handle.stack ?? []).flatMap(listRoutes);
    const methods = Object.keys(route.methods).filter((method) => method !== "_all" && method !== "head");
    return methods.map((method) => ({ method: method.toUpperCase(), path: route.path }));
  };
  return app.router.stack.flatMap(listRoutes);
}

/** Whether the route authenticates with an API key or a bearer token. The other routes are pages, which use a cookie. */
export const usesToken = ({ path }: MountedRoute): boolean => /^\/(offer|events|portal|worker-app)(\/|$)/.test(path);

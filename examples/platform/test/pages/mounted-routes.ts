import { type AppDeps, createApp } from "../../src/create-app.ts";

export interface MountedRoute {
  method: string;
  path: string;
}

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
}

/** Lists every route that the platform mounts. It reads them from Express, so that no route can be missing. */
export function mountedRoutes(): MountedRoute[] {
  // Routes do not use their dependencies before a request.
  const anything: object = new Proxy(() => anything, { get: () => anything });
  const own = { cookies: { isSecure: false } };
  const deps = new Proxy(own, { get: (_, name) => Reflect.get(own, name) ?? anything });
  const app = createApp(deps as unknown as AppDeps) as unknown as { router: { stack: Layer[] } };
  const routesIn = ({ route, handle }: Layer): MountedRoute[] => {
    if (route === undefined) return (handle.stack ?? []).flatMap(routesIn);
    const methods = Object.keys(route.methods).filter((method) => method !== "_all" && method !== "head");
    return methods.map((method) => ({ method: method.toUpperCase(), path: route.path }));
  };
  return app.router.stack.flatMap(routesIn);
}

/** Whether the route accepts a key or a token. The other routes are pages, which use a cookie. */
export const takesToken = ({ path }: MountedRoute): boolean => /^\/(offer|events|portal|worker-app)(\/|$)/.test(path);

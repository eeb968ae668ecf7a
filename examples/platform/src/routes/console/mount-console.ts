import { gunzipSync } from "node:zlib";
import { type Request, type Response, Router } from "express";
import { html, raw } from "hono/html";
import { ProblemError } from "../../http/problem.ts";
import { defineRoutes } from "../../http/routes.ts";
import { securityHeaders } from "../pages/security/security-headers.ts";
import { loadConsoleFiles } from "./console-files.ts";

export interface ConsoleDeps {
  /** The API key of the first demo organisation, for calls from the console; undefined without the demo data. */
  demoKey: string | undefined;
}

/** Serves an API reference at `/docs`, where users can try out operations (D-150). The page loads nothing from other origins. */
export function mountConsole(router: Router, { demoKey }: ConsoleDeps): void {
  const pages = Router({ caseSensitive: true, strict: true });
  pages.use("/docs", securityHeaders(policy));
  defineRoutes(pages, "/docs", {
    get: (_request, response) =>
      void response
        .set("Cache-Control", "no-store")
        .type("html")
        .send(String(consolePage(demoKey))),
  });
  defineRoutes(pages, "/docs/:file", { get: sendFile });
  router.use(pages);
}

/** The directives that differ from those of the pages. The API reference needs inline styles, and data URLs for icons. */
const policy = {
  "style-src": ["'self'", "'unsafe-inline'"],
  "img-src": ["'self'", "data:"],
  "form-action": ["'none'"],
};

/** Raises the contrast of small text above 4.5:1, because the default colours of the API reference do not reach it. */
const customCss = `
.light-mode { --scalar-color-2: #545454; --scalar-color-3: #636363; --scalar-color-green: #056b47; --scalar-color-blue: #0062b0; --scalar-color-orange: #9c4a00; --scalar-color-red: #c00a1b; }
.dark-mode { --scalar-color-2: #c0c0c0; --scalar-color-3: #a8a8a8; --scalar-color-green: #12c98a; --scalar-color-blue: #6ab4f5; }
`;

function consolePage(demoKey: string | undefined) {
  const { reference, start, openapi } = loadConsoleFiles();
  const settings = {
    url: `/docs/${openapi.name}`,
    // Load nothing from other origins, and send nothing to them.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    proxyUrl: "",
    showDeveloperTools: "never",
    hideClientButton: true,
    hideModels: false,
    documentDownloadType: "direct",
    persistAuth: false,
    defaultOpenFirstTag: true,
    customCss,
    authentication: {
      preferredSecurityScheme: "subscriptionKey",
      ...(demoKey !== undefined && { securitySchemes: { subscriptionKey: { value: demoKey } } }),
    },
  };
  // Escape `<` in the settings, so that no value can end the script element.
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API console · Offers</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. You can also read the OpenAPI document: <a href="/docs/${openapi.name}">${openapi.name}</a>.</noscript>
<script type="application/json" id="settings">${raw(JSON.stringify(settings).replaceAll("<", "\\u003c"))}</script>
<script src="/docs/${reference.name}"></script>
<script src="/docs/${start.name}"></script>
</body>
</html>`;
}

function sendFile(request: Request, response: Response): void {
  const files = loadConsoleFiles();
  const file = Object.values(files).find(({ name }) => name === request.params.file);
  if (file === undefined) throw new ProblemError("not_found", "Reload the page.");
  const { name, type, zipped } = file;
  // Only the OpenAPI document has a fixed name. The other names contain a hash of the content.
  response.set("Cache-Control", name === files.openapi.name ? "no-store" : "public, max-age=31536000, immutable");
  response.type(type).vary("Accept-Encoding");
  if (request.acceptsEncodings("gzip")) response.set("Content-Encoding", "gzip").send(zipped);
  else response.send(gunzipSync(zipped));
}

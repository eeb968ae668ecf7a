import { apiKeyHeader } from "@offers/contract/decisions";
import { html, type Markup } from "../layout/markup.ts";
import type { PortalContext } from "../sections/portal-section.ts";

/** Renders code that creates the offer. @param creation the request body, with example values for missing fields */
export const creationSamples = (context: PortalContext, creation: Record<string, unknown>): Markup =>
  codeSamples(context, {
    id: "code-create",
    action: "Create this offer",
    call: `const { id } = await offers.createOffer(${formatLiteral(creation)});\nconsole.log(id);`,
    path: "/offer",
    body: formatJson(creation),
  });

export const readingSamples = (context: PortalContext, id: string): Markup =>
  codeSamples(context, {
    id: "code-read",
    action: "Read this offer and watch responses",
    call: `for await (const { name, response } of offers.watchOffer(${JSON.stringify(id)})) console.log(\`\${name}: \${response}\`);`,
    path: `/offer/${encodeURIComponent(id)}`,
  });

export const completionSamples = (context: PortalContext, id: string, workerIds: readonly string[]): Markup =>
  codeSamples(context, {
    id: "code-complete",
    action: "Complete this offer",
    call: `await offers.completeOffer(${JSON.stringify(id)}, ${JSON.stringify(workerIds)});`,
    path: `/offer/${encodeURIComponent(id)}/complete?api-version=1.0`,
    body: JSON.stringify(workerIds),
  });

export const withdrawalSamples = (context: PortalContext, id: string): Markup =>
  codeSamples(context, {
    id: "code-withdraw",
    action: "Withdraw this offer",
    call: `await offers.withdrawOffer(${JSON.stringify(id)});`,
    path: `/offer/${encodeURIComponent(id)}/withdraw`,
  });

/** An action to show as code for `@offers/client` and for curl. */
interface Sample {
  /** The element id, unique on the page. */
  id: string;
  action: string;
  /** The code that calls the client. */
  call: string;
  path: string;
  /** The JSON body; undefined for a GET. */
  body?: string;
}

function codeSamples({ deps, request }: PortalContext, { id, action, call, path, body }: Sample): Markup {
  // Use the origin that the user's browser loaded this page from.
  const baseUrl = deps.publicOrigin ?? `http://${request.get("host")}`;
  const client = `import { OffersClient } from "@offers/client";

const offers = new OffersClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.OFFERS_API_KEY ?? "",
});

${call}`;
  const curl = [
    "curl --fail-with-body",
    `--header "${apiKeyHeader}: $OFFERS_API_KEY"`,
    ...(body === undefined ? [] : [`--header "Content-Type: application/json"`, `--data ${shellWord(body)}`]),
    shellWord(baseUrl + path),
  ].join(" \\\n  ");
  return html`
  <details class="code" id="${id}">
    <summary>${action} from a program</summary>
    <div class="samples">
      ${sampleFigure(`${id}-client`, "TypeScript, @offers/client", client)}
      ${sampleFigure(`${id}-curl`, "curl", curl)}
    </div>
    <p class="fine">Both examples read your organisation's API key from the environment variable OFFERS_API_KEY.</p>
  </details>`;
}

const sampleFigure = (id: string, title: string, code: string): Markup => html`
    <figure class="sample">
      <figcaption>${title} <button type="button" class="quiet small" data-copy="${id}" aria-label="Copy: ${title}" hidden>Copy</button></figcaption>
      <pre tabindex="0" aria-label="${title}"><code id="${id}">${code}</code></pre>
    </figure>`;

/** Quotes a string as a single POSIX shell word. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Formats a TypeScript literal with unquoted property names. */
const formatLiteral = (value: unknown): string =>
  formatJson(value).replaceAll(/(^\s*|[{,] )"([A-Za-z_]\w*)":/gm, "$1$2:");

/** Formats JSON with short values on one line. */
function formatJson(value: unknown, indent = ""): string {
  // Put spaces inside braces and after commas, but not inside brackets.
  const oneLine = JSON.stringify(value, null, 1)
    .replaceAll(/(?<=\[)\n\s*|\n\s*(?=\])/g, "")
    .replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || oneLine.length + indent.length < 56) return oneLine;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${formatJson(item, inner)}`)
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${formatJson(item, inner)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

// The allowed direction of imports: docs → examples → packages → spec. dependency-cruiser reads these rules in npm test.
// Tests and scripts may import anything, but only some of them may import the platform's sources. Biome checks that no two files import
// each other. These rules check folders.
const forbid = (name, from, to) => ({ name, severity: "error", from, to });
const forbidImportsAbove = (folder, higherFolders) =>
  forbid(`${folder}-import-nothing-above-them`, { path: `^${folder}/` }, { path: `^(${higherFolders})/` });

// The layers of the platform, lowest first. A layer imports only itself and lower layers. The highest layer contains the sandbox and the
// files outside folders, such as start-platform.ts.
const layers = [
  "generated",
  "store|time-zones",
  "http|tracing",
  "outbox|endpoint-client",
  "mail|push",
  "webhooks",
  "accounts|offers",
  "settings",
  "observability",
  "routes|seed",
  "[^/]+\\.ts$|sandbox",
];
const platform = "^examples/platform/src";
const layerRules = layers
  .slice(0, -1)
  .map((layer, level) =>
    forbid(
      `platform-${layer.split("|").join("-")}-import-no-layer-above`,
      { path: `${platform}/(${layer})/` },
      { path: `${platform}/(${layers.slice(level + 1).join("|")})` },
    ),
  );

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    { ...forbid("no-folders-import-each-other", {}, { circular: true }), scope: "folder" },
    forbidImportsAbove("spec", "packages|examples|docs|bench|scripts|tests"),
    forbidImportsAbove("packages", "examples|docs|bench|scripts|tests"),
    forbidImportsAbove("examples", "docs|bench|scripts|tests"),
    forbid(
      "packages-import-no-other-package",
      { path: "^packages/([^/]+)/" },
      { path: "^packages/", pathNot: "^packages/($1|contract)/" },
    ),
    forbid(
      "examples-import-no-other-example",
      { path: "^examples/([^/]+)/" },
      { path: "^examples/", pathNot: "^examples/$1/" },
    ),
    // A published name resolves to dist/. The private contract package is never built separately.
    forbid(
      "examples-import-packages-by-their-names",
      { path: "^examples/" },
      { path: "^packages/", pathNot: "^packages/([^/]+/dist|contract/src)/" },
    ),
    ...layerRules,
    // Pages may import JSON routes, but JSON routes must not import pages.
    forbid(
      "platform-json-routes-import-no-pages",
      { path: `${platform}/routes/(api|portal|worker-app)/` },
      { path: `${platform}/routes/pages/` },
    ),
    // Tests outside the platform must not depend on its internals. Some scripts read its sources.
    forbid(
      "only-simulator-and-interleavings-import-the-platform",
      {
        path: "^(bench|scripts|tests)/",
        pathNot: "^(tests/(simulator|interleavings|[^/]+$)|scripts/((docs|error-pages)/|platform\\.ts$))",
      },
      { path: `${platform}/` },
    ),
    forbid("nothing-imports-its-own-index", { path: "^((packages|examples)/[^/]+/src)/" }, { path: "^$1/index\\.ts$" }),
  ],
  options: {
    // Type-only imports count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    exclude: String.raw`/\.snippets/|\.test(-d)?\.ts$|^(packages|examples)/[^/]+/test/`,
    doNotFollow: { path: "node_modules|/dist/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Application,
  type Comment,
  DeclarationReflection,
  LogLevel,
  type ProjectReflection,
  ReflectionKind,
  SignatureReflection,
} from "typedoc";

/** A TypeDoc warning or error, such as a link to a name that does not exist. */
export class TypeDocError extends Error {
  override readonly name = "TypeDocError";
}

/**
 * Writes the API reference of a package to docs/reference, as Markdown with a sidebar for VitePress.
 *
 * @param folder the name of the package folder in packages/
 * @throws {TypeDocError} if TypeDoc reports a warning or an error, such as an undocumented export or a broken link
 */
export async function writeReference(root: string, folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
  const { name, version } = manifest as { name: string; version: string };
  const app = await Application.bootstrapWithPlugins({
    options: join(root, "packages", folder, "typedoc.json"),
    plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
    name,
    out: join(root, "docs/reference", folder),
    readme: "none",
    logLevel: LogLevel.Warn,
    // Source links refer to the tag of a release. Before the first release, they refer to main.
    gitRevision: version === "0.0.0" ? "main" : `${name}@${version}`,
    sourceLinkTemplate: `https://github.com/offers/offers/blob/{gitRevision}/packages/${folder}/src/{path}#L{line}`,
    ...markdownOptions,
  });
  ignoreOptionTags(app);
  app.options.setValue("docsRoot", join(root, "docs"));
  const project = await app.convert();
  if (!project) throw new TypeDocError(`TypeDoc cannot read packages/${folder}`);
  resolveInheritedLinks(project);
  app.validate(project);
  renameModules(project, name);
  // Normalise the links to bundled contract types, because their paths lead out of the package folder.
  for (const { sources = [] } of project.getReflectionsByKind(ReflectionKind.All) as DeclarationReflection[])
    for (const source of sources) if (source.url) source.url = new URL(source.url).href;
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new TypeDocError(`TypeDoc reported problems in packages/${folder}`);
}

/** Ignores warnings about @param tags for single options, because editors and TypeDoc show the docstring of the option itself. */
function ignoreOptionTags({ logger }: Application): void {
  const warn = logger.warn.bind(logger);
  logger.warn = ((...args: Parameters<typeof warn>) => {
    if (!/has an @param with name "options\.\w+", which was not used/.test(args[0])) warn(...args);
  }) as typeof warn;
}

/** Renames each module to the specifier that users import, and moves error classes to the end of its groups. */
function renameModules(project: ProjectReflection, packageName: string): void {
  for (const module of project.children ?? []) {
    if (!module.kindOf(ReflectionKind.Module)) continue;
    module.name = toImportName(packageName, module);
    for (const group of module.groups ?? []) group.children.sort((a, b) => getSortRank(a.name) - getSortRank(b.name));
  }
}

/**
 * Replaces each inherited docstring with the original. TypeDoc copies docstrings to the members that inherit them, but resolves links only
 * in the original.
 */
function resolveInheritedLinks(project: ProjectReflection): void {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.CallSignature | ReflectionKind.SomeMember)) {
    if (!(reflection instanceof DeclarationReflection || reflection instanceof SignatureReflection)) continue;
    const original = (reflection.inheritedFrom ?? reflection.overwrites)?.reflection?.comment;
    if (original && getSummaryText(original) === getSummaryText(reflection.comment))
      reflection.comment = original.clone();
  }
}

const getSummaryText = (comment: Comment | undefined): string =>
  comment?.summary.map(({ text }) => text).join("") ?? "";

/** Returns a rank that sorts error classes last, because readers reach them from their codes. */
const getSortRank = (name: string): number => (name.endsWith("Error") ? 1 : 0);

function toImportName(packageName: string, { name }: DeclarationReflection): string {
  if (name === "index") return packageName;
  return name.startsWith("@") ? name : `${packageName}/${name}`;
}

/** @see https://typedoc-plugin-markdown.org/docs/options */
const markdownOptions: Record<string, unknown> = {
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: "table",
  propertiesFormat: "table",
  indexFormat: "table",
  pageTitleTemplates: {
    member: ({ kind, rawName }: { kind: string; rawName: string }) => `${kind}: ${rawName.replace(/<.*/, "")}`,
  },
};

import { parse } from "yaml";
import { z } from "zod";

const frontMatterSchema = z.strictObject({
  title: z.string(),
  description: z.string().min(20).optional(),
  keywords: z.array(z.union([z.string(), z.number()]).transform(String)).default([]),
});

export type FrontMatter = z.infer<typeof frontMatterSchema>;

/** The YAML between two lines of three hyphens at the start of a Markdown file, and what follows it. */
export function readFrontMatter(source: string, text: string): { frontMatter: FrontMatter; markdown: string } {
  const [whole = "", yaml = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  const markdown = text
    .slice(whole.length)
    .replace(/^\s*<!--[\s\S]*?-->\s*/, "")
    .trim();
  const [, heading] = /^# (.+)$/m.exec(markdown) ?? [];
  const result = frontMatterSchema.safeParse({ title: heading?.replaceAll("`", ""), ...parse(yaml) });
  if (!result.success) throw new Error(`${source}: ${z.prettifyError(result.error)}`);
  return { frontMatter: result.data, markdown };
}

/** The first paragraph of prose, without Markdown, in at most 200 characters. */
export function firstSentences(markdown: string): string {
  const prose = markdown
    .replace(/^```[\s\S]*?^```$/gm, "")
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .find((paragraph) => /^[A-Z`*[]/.test(paragraph) && !/^(?:Defined in|!\[|\| |\*\*Likely)/.test(paragraph));
  return plainText(prose ?? "").slice(0, 200);
}

/** Markdown without its marks. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/<[^>]+>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\\([_<>[\]*])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();

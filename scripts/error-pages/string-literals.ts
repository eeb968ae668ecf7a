import { readFileSync } from "node:fs";
import ts from "typescript";

/** The string literals below a node, such as the members of a union. */
function literalsIn(node: ts.Node | undefined): string[] {
  if (!node) return [];
  if (ts.isStringLiteral(node)) return [node.text];
  return node.getChildren().flatMap(literalsIn);
}

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

/**
 * The error classes of a file with their codes: the literals of the property `code`, or those in the type arguments of the base class.
 */
export function codesByClass(path: string): [className: string, codes: string[]][] {
  return parse(path)
    .statements.filter(ts.isClassDeclaration)
    .map(({ name, members, heritageClauses }): [string, string[]] => {
      const property = members.filter(ts.isPropertyDeclaration).find((member) => member.name.getText() === "code");
      const ofProperty = literalsIn(property?.type ?? property?.initializer);
      const ofBase = (heritageClauses ?? [])
        .flatMap(({ types }) => types)
        .flatMap(({ typeArguments }) => typeArguments ?? []);
      return [name?.text ?? "", ofProperty.length > 0 ? ofProperty : ofBase.flatMap(literalsIn)];
    })
    .filter(([, codes]) => codes.length > 0);
}

/** The members of a union type that a file declares. */
export function unionMembers(path: string, name: string): string[] {
  const alias = parse(path)
    .statements.filter(ts.isTypeAliasDeclaration)
    .find((statement) => statement.name.text === name);
  const members = literalsIn(alias?.type);
  if (members.length === 0) throw new Error(`${path} has no union ${name} of strings`);
  return members;
}

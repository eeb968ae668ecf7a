import { readFileSync } from "node:fs";
import ts from "typescript";

/** Finds the string literals below a node, such as the members of a union. */
function findLiterals(node: ts.Node | undefined): string[] {
  if (!node) return [];
  if (ts.isStringLiteral(node)) return [node.text];
  return node.getChildren().flatMap(findLiterals);
}

const parseSource = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

/**
 * Reads the error classes in a file with their codes. The codes are the literals of the property `code` or, without that property, the
 * literals in the type arguments of the base class.
 */
export function readCodesByClass(path: string): [className: string, codes: string[]][] {
  return parseSource(path)
    .statements.filter(ts.isClassDeclaration)
    .map(({ name, members, heritageClauses }): [string, string[]] => {
      const property = members.filter(ts.isPropertyDeclaration).find((member) => member.name.getText() === "code");
      const propertyLiterals = findLiterals(property?.type ?? property?.initializer);
      const baseTypeArguments = (heritageClauses ?? [])
        .flatMap(({ types }) => types)
        .flatMap(({ typeArguments }) => typeArguments ?? []);
      return [
        name?.text ?? "",
        propertyLiterals.length > 0 ? propertyLiterals : baseTypeArguments.flatMap(findLiterals),
      ];
    })
    .filter(([, codes]) => codes.length > 0);
}

/** Reads the members of a string union that a file declares. */
export function readUnionMembers(path: string, name: string): string[] {
  const alias = parseSource(path)
    .statements.filter(ts.isTypeAliasDeclaration)
    .find((statement) => statement.name.text === name);
  const members = findLiterals(alias?.type);
  if (members.length === 0) throw new Error(`${path} has no union ${name} of strings`);
  return members;
}

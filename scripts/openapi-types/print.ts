// Prints the TypeScript types of an OpenAPI document, given by its path, on standard output.
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [documentPath] = process.argv.slice(2);
if (!documentPath) throw new Error("usage: node print.ts path/to/openapi.yaml");

const toLiteralType = (text: string) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(text));

/** With `string & {}` in the union, editors still suggest the known values. A plain `string` would absorb them. */
const anyOtherString = ts.factory.createIntersectionTypeNode([
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
  ts.factory.createTypeLiteralNode([]),
]);

const types = await openapiTS(pathToFileURL(documentPath), {
  alphabetize: false,
  transform(schema) {
    const knownValues: unknown = Reflect.get(schema, "x-extensible-enum");
    if (!Array.isArray(knownValues)) return undefined;
    return ts.factory.createUnionTypeNode([...knownValues.map(String).map(toLiteralType), anyOtherString]);
  },
});

// An editor shows these descriptions to people who do not have the files that they cite.
process.stdout.write(
  astToString(types)
    .replaceAll(/ \(D-\d{2,3}(?:, D-\d{2,3})*\)/g, "")
    .replaceAll("interface.md does not describe it", "the contract does not describe it"),
);

import ts from "typescript";

/**
 * What a module exports, in as many lines as its types have parts: properties, parameters, results, and the same of every
 * type that these name and that `isOurs`. Two modules with equal types have equal lines.
 *
 * @param isOurs whether a type that is declared in this file is to be taken apart
 */
export function describeExports(
  checker: ts.TypeChecker,
  module: ts.SourceFile,
  isOurs: (file: string) => boolean,
): string[] {
  const lines = new Set<string>();
  const seen = new Set<ts.Type>();

  const isDeclaredByUs = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations?.some((declaration) => isOurs(declaration.getSourceFile().fileName)) ?? false;
  const isHidden = (symbol: ts.Symbol) =>
    symbol.name.startsWith("#") || symbol.getJsDocTags(checker).some(({ name }) => name === "internal");
  const isFunction = (type: ts.Type) =>
    !type.aliasSymbol &&
    isDeclaredByUs(type.symbol) &&
    checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0;

  const print = (type: ts.Type): string => {
    // A union has no order of its own: the compiler prints its members in the order in which it met them.
    if (type.isUnion()) return type.types.map(print).sort().join(" | ");
    // It prints a parameter with a default, which only a source has, unlike an optional one. Their parts are alike.
    if (isFunction(type)) return "function";
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  };

  const add = (name: string, type: ts.Type) => {
    lines.add(`${name}: ${print(type)}`);
    takeApart(type, isFunction(type) ? name : print(type));
  };

  const takeApart = (type: ts.Type, name: string) => {
    if (seen.has(type)) return;
    seen.add(type);
    const parts = type.isUnionOrIntersection() ? type.types : [];
    const named = [...(type.aliasTypeArguments ?? []), ...checker.getTypeArguments(type as ts.TypeReference)];
    const sorted = [...parts, ...named]
      .map((part) => [print(part), part] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [printed, part] of sorted) takeApart(part, isFunction(part) ? name : printed);
    if (!isDeclaredByUs(type.symbol)) return;
    for (const member of checker.getPropertiesOfType(type)) {
      if (!isDeclaredByUs(member) || isHidden(member)) continue;
      const optional = member.flags & ts.SymbolFlags.Optional ? "?" : "";
      // A symbol's name ends in a number of the compiler's own.
      add(`${name}.${member.name.replace(/@\d+$/, "")}${optional}`, checker.getTypeOfSymbol(member));
    }
    for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct])
      for (const [index, signature] of checker.getSignaturesOfType(type, kind).entries())
        addSignature(`${kind === ts.SignatureKind.Call ? "call" : "new"} ${index} of ${name}`, signature);
  };

  const addSignature = (name: string, signature: ts.Signature) => {
    for (const parameter of signature.getParameters()) {
      const declaration = parameter.valueDeclaration;
      const isOptional = declaration && ts.isParameter(declaration) && checker.isOptionalParameter(declaration);
      const type = checker.getTypeOfSymbol(parameter);
      if (isOptional) add(`${name}, ${parameter.name}?`, checker.getNonNullableType(type));
      else add(`${name}, ${parameter.name}`, type);
    }
    add(`${name}, result`, signature.getReturnType());
    const narrowed = checker.getTypePredicateOfSignature(signature)?.type;
    if (narrowed) add(`${name}, predicate`, narrowed);
  };

  const exported = checker.getSymbolAtLocation(module);
  const symbols = exported ? checker.getExportsOfModule(exported) : [];
  for (const symbol of symbols.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.flags & ts.SymbolFlags.Value) add(symbol.name, checker.getTypeOfSymbol(target));
    if (target.flags & ts.SymbolFlags.Type) add(`type ${symbol.name}`, checker.getDeclaredTypeOfSymbol(target));
  }
  return [...lines].sort();
}

/** Breaks a text at spaces, so that no line is wider than the terminal or 80 columns. Each line begins with `indent`. */
export function wrapText(text: string, indent: string, width: number): string {
  const room = Math.max(20, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > room && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((each) => `${indent}${each}`).join("\n");
}

/** Of a stream, and 80 where it has none. */
export const widthOf = (stream: NodeJS.WriteStream): number => Math.min(stream.columns ?? 80, 100);

import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colours a text for a stream: only on a terminal, unless FORCE_COLOR asks for it, and never with NO_COLOR. */
export function styleFor(stream: NodeJS.WriteStream): (format: Format, text: string) => string {
  return (format, text) => styleText(format, text, { stream });
}

export type Style = ReturnType<typeof styleFor>;

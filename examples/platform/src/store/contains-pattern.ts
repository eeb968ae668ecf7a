/** Returns an `ilike` pattern for strings that contain `text`. */
export const containsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

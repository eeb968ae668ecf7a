/** A pattern of `ilike` for texts that contain this one. */
export const containsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

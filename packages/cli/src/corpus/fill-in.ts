/** `{{name}}`, or `{{name[2:5]}}` for some of its characters. */
const placeholder = /\{\{([A-Za-z.]+)(?:\[(\d+):(\d*)\])?\}\}/g;

/**
 * Puts values in the place of a text's placeholders, also of those that the values bring with them.
 *
 * @throws {Error} for a name that has no value: a slip in the corpus must not be sent as a hostile request
 */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(placeholder, (_, name: string, start?: string, end?: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The corpus names {{${name}}}, which has no value.`);
    const whole = fillIn(value, values);
    return start === undefined ? whole : whole.slice(Number(start), end ? Number(end) : undefined);
  });
}

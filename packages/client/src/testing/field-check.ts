import { toUtc } from "@offers/contract/date-time";
import { type FieldErrors, maxFields } from "./refusal.ts";

const dateTimeRemedy = "Use a UTC date-time, such as 2099-05-01T16:00:00Z.";
const endTimeRemedy = "Use a UTC date-time, such as 2099-05-01T22:00:00Z.";

/** Collects the errors in a body by field. The errors never contain a value (D-49). */
export class FieldCheck {
  readonly errors: FieldErrors = new Map();

  /** Adds a remedy for a field, unless the field has it already. Ignores further fields once `maxFields` fields have errors. */
  addError(field: string, remedy: string): void {
    const remedies = this.errors.get(field);
    if (remedies !== undefined) {
      if (!remedies.includes(remedy)) remedies.push(remedy);
    } else if (this.errors.size < maxFields) this.errors.set(field, [remedy]);
  }

  /** Adds an error unless the value is a string, or absent and optional. @returns the value if it is a string */
  readString(field: string, value: unknown, isRequired = true): string | undefined {
    if (typeof value === "string") return value;
    if (value !== undefined) this.addError(field, "Make it a string.");
    else if (isRequired) this.addError(field, "Add this field; it is required.");
    return undefined;
  }

  /** Adds an error unless the value is absent or a string of at most `max` characters. */
  checkShortString(field: string, value: unknown, max: number): void {
    this.checkMaxLength(field, this.readString(field, value, false) ?? "", max);
  }

  checkMaxLength(field: string, value: string | unknown[], max: number): void {
    const unit = typeof value === "string" ? " characters" : "";
    if (value.length > max) this.addError(field, `Use at most ${max}${unit}.`);
  }

  /** Adds an error unless the value is a date-time. @returns the time in UTC, as it is stored (D-33, D-96); an empty string if invalid */
  parseDateTime(field: string, value: unknown): string {
    const text = this.readString(field, value);
    if (text === undefined) return "";
    const utc = toUtc(text);
    if (utc === undefined) this.addError(field, field.endsWith("end") ? endTimeRemedy : dateTimeRemedy);
    return utc ?? "";
  }

  /** Adds an error if the value contains a character that cannot be stored (D-44). */
  checkStorable(field: string, value: unknown): void {
    if (typeof value !== "string") return;
    if (value.includes("\0")) this.addError(field, "Remove the character U+0000.");
    else if (/\p{Surrogate}/u.test(value)) this.addError(field, "Remove the lone surrogate.");
  }

  /** Adds an error unless the value is an object. @returns the value if it is an object */
  readObject(field: string, value: unknown): Record<string, unknown> | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    this.addError(field, "Make it an object.");
    return undefined;
  }

  rejectUnknownFields(prefix: string, object: object, knownNames: readonly string[]): void {
    for (const name of Object.keys(object))
      if (!knownNames.includes(name))
        this.addError(prefix + name, "Remove it, or correct its name: there is no such field.");
  }

  /** Adds an error unless the value is a list of 1 to 10,000 non-empty strings, as in a creation or completion. */
  checkWorkerIds(field: string, value: unknown, getFieldName: (index: number) => string): void {
    if (value === undefined) this.addError(field, "Add this field; it is required.");
    else if (!Array.isArray(value)) this.addError(field, "Make it an array.");
    else {
      if (value.length === 0) this.addError(field, "Choose at least one worker.");
      this.checkMaxLength(field, value, 10_000);
      for (const [index, id] of value.entries())
        if (this.readString(getFieldName(index), id) === "")
          this.addError(getFieldName(index), "Do not leave it empty.");
    }
  }
}

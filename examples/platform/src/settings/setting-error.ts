/** Thrown if a setting is missing, unknown or invalid. The message names it and says what is expected. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "invalid_setting";
}

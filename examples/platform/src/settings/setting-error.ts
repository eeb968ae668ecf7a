/** Thrown if a setting is missing, unknown or invalid. The message contains the setting's name and the expected value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "invalid_setting";
}

/** A variable of the environment has a value that makes no sense. The message names it and what to write instead. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "invalid_setting";
}

import { visibleCharacter } from "../generated/decisions.ts";

const visible = new RegExp(visibleCharacter, "u");

/** Whether a text has a visible character (D-89). */
export const isVisible = (text: string): boolean => visible.test(text);

/** Above this, an offer's pushes let those of other offers pass. */
const largeFanOut = 200;

/** Of what everybody else's first pushes pass: those of large offers, and whatever was tried before. */
export const behindOthers = -1;

/** @param workers whom an offer tells something at once */
export const pushPriority = (workers: number): number => (workers > largeFanOut ? behindOthers : 0);

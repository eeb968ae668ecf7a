/** A measured value with three digits or so. */
export const formatFigure = (value: number): string =>
  value < 1000 ? value.toFixed(value < 10 ? 2 : 1) : Math.round(value).toLocaleString("en-GB");

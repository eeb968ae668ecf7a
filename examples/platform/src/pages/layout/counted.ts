/** `1 worker`, `2 workers` */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

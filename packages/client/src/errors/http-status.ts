type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** Every HTTP status whose first digit is `Class`, so that `error.status === 409` narrows to one kind of error. */
export type HttpStatus<Class extends 2 | 3 | 4 | 5> = NumberIn<`${Class}${Digit}${Digit}`>;

/** Constants of the texts of the query kernel. */
/** Bounds are widened by this against rounding. */
export const UP = '1.000000001';
export const ROUNDING = '1.000000000001';
/** Lower bounds are narrowed by this. */
export const DOWN = '0.999999999999';
/** The next number above 1. */
export const NEXT = '1.0000000000000002220446049250313';
/** Kinds of terms. */
export const DENSE = 0;
export const LIST = 1;
export const SHORT = 2;
/** The first length code that is not exact. */
export const LONG = 240;

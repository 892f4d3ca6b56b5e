/** Types of fields whose values can be summed and compared. */
export const NUMBERS = ['LONG', 'DOUBLE', 'DATE'] as const;

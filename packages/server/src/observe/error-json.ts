/** Causes of causes that a line of a log has. */
const MOST_CAUSES = 5;

/** What a log says of an error: its name, code, message, stack and what caused it. */
export function errorInLog(error: unknown, causes = MOST_CAUSES): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type, message, stack, cause } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    ...{ type, message },
    ...(code === undefined ? {} : { code }),
    stack,
    ...(cause === undefined || causes === 0 ? {} : { cause: errorInLog(cause, causes - 1) }),
  };
}

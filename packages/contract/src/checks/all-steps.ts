/** Runs work in steps to its end, without a pause between them. */
export function allSteps<T>(steps: Iterator<unknown, T, undefined>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * How much a campaign tries: `npm test` is brief, CI runs the campaigns again with
 * `LHS_TEST_CAMPAIGN=1` (npm run test:campaigns), and `LHS_TEST_LONG=1` takes hours.
 */
export function byEffort<T>(brief: T, campaign: T, long: T = campaign): T {
  if (process.env.LHS_TEST_LONG !== undefined) return long;
  return process.env.LHS_TEST_CAMPAIGN === '1' ? campaign : brief;
}

/** Every n-th value, `turn` values later: a brief run takes some cases of each kind. */
export function everyNth<T>(all: readonly T[], n: number, turn = 0): readonly T[] {
  return all.filter((_, i) => (i + turn) % n === 0);
}

/** A seed that is another one each day (UTC), so that the campaigns of CI try more over time. */
export function seedOfDay(): number {
  return Math.floor(Date.now() / 86_400_000);
}

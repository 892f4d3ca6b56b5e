/**
 * How much a campaign tries: `npm test` is brief, CI runs the campaigns again with
 * `LHS_TEST_CAMPAIGN=1` (npm run test:campaigns), and `LHS_TEST_LONG=1` takes hours.
 */
export function byEffort<T>(brief: T, campaign: T, long: T = campaign): T {
  if (process.env.LHS_TEST_LONG !== undefined) return long;
  return process.env.LHS_TEST_CAMPAIGN === '1' ? campaign : brief;
}

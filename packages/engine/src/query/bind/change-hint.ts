/**
 * What to do where the definition lacks a setting. A definition cannot be changed in place yet, so
 * the hint names the commands that there are.
 */
export const changeHint = (change: string, index: string): string =>
  `${change} in the definition, then drop, create and reindex "${index}" ` +
  '(lhs index alter will do it, and is not built yet)';

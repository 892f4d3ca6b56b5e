/** What to do where the definition lacks a setting. A definition cannot be changed in place. */
export const changeHint = (change: string, index: string): string =>
  `${change} in the definition, then drop, create and reindex "${index}"`;

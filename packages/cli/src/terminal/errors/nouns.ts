/** Topics by the nouns that other tools write behind a verb: `describe index NAME`. */
const NOUNS = [
  'index indexes indices',
  'source table tables sources databases namespaces',
  'alias aliases',
  'jobs job tasks',
  'query queries',
  'model models',
  'keys key row rows document documents',
].map((line) => line.split(' '));

/** The topic that a noun names. */
export const topicOf = (noun: string): string | undefined =>
  NOUNS.find((nouns) => nouns.includes(noun))?.[0];

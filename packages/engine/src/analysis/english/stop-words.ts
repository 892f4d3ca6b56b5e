/** The words that the english analyzer drops: the classic short list that Lucene uses, too. */
export const ENGLISH_STOP_WORDS: readonly string[] = Object.freeze(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there
  these they this to was will with`.split(/\s+/),
);

/** Words for true and for false. */
export const TRUTHS = Object.freeze({
  true: ['true', 'yes', 'on', 't', 'y', '1'],
  false: ['false', 'no', 'off', 'f', 'n', '0'],
});

/** What a word for true or false says, in any case; undefined for other words. */
export function truthOf(text: string): 'true' | 'false' | undefined {
  const word = text.toLowerCase();
  return (['true', 'false'] as const).find((truth) => TRUTHS[truth].includes(word));
}

/** The phrase that another one without hits was meant as: its words in another spelling. */
import { analyzeToTokens } from '../../analysis/tokens.ts';
import type { Guesser, Valued } from './guesser.ts';
import { alike, fieldValue, near } from './near-texts.ts';

/** Words of a phrase that are looked up, spellings of one, and phrases that are counted, at most. */
const WORDS = 8;
const SPELLINGS = 3;
const PHRASES = 32;

/** The phrases with hits whose words differ the least: words that no row has always differ. */
export async function reworded(guesser: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { target } = fieldValue(guesser.context, node);
  const inverted = target?.plan.inverted;
  if (!isPhrase(node) || inverted?.kind !== 'text') return [];
  const places = analyzeToTokens(inverted.analyzer, node.value);
  const words = places.filter(({ start }, i) => start >= (places[i - 1]?.end ?? 0));
  let phrases: readonly Changed[] = words.length > WORDS ? [] : [{ changes: 0, text: '' }];
  let from = 0;
  for (const { start, end } of words) {
    const before = node.value.slice(from, start);
    const spellings = await spellingsOf(guesser, node, node.value.slice(start, end));
    phrases = phrases
      .flatMap(({ changes, text }) =>
        spellings.map((word) => ({
          changes: changes + word.changes,
          text: text + before + word.text,
        })),
      )
      .toSorted((a, b) => a.changes - b.changes)
      .slice(0, PHRASES);
    from = end;
  }
  const found: Changed[] = [];
  for (const { changes, text } of phrases) {
    if (changes === 0 || changes > (found[0]?.changes ?? changes)) continue;
    const value = text + node.value.slice(from);
    if ((await guesser.count({ ...node, value })) > 0) found.push({ changes, text: value });
  }
  return found.map(({ text }) => ({ ...node, value: text }));
}

/** A text in the place of another one, and how many of its words are others. */
interface Changed {
  readonly text: string;
  readonly changes: number;
}

const isPhrase = ({ kind }: Valued): boolean => kind === 'phrase' || kind === 'phrase_prefix';

/** A word, if a row has it or no other is like it, and those like it. */
async function spellingsOf(
  guesser: Guesser,
  { field }: Valued,
  word: string,
): Promise<readonly Changed[]> {
  const term: Valued = { kind: 'term', field, value: word };
  const like = [...(await alike(guesser, term)), ...(await near(guesser, term))];
  const others = [...new Set(like.map(({ value }) => value))].slice(0, SPELLINGS);
  const isMissing = others.length > 0 && (await guesser.count(term)) === 0;
  const self = isMissing ? [] : [{ text: word, changes: 0 }];
  return [...self, ...others.map((text) => ({ text, changes: 1 }))];
}

/** The analyzer of a text column, and its entry in `analyzers` unless it is a built-in one. */
export interface ProposedAnalyzer {
  readonly name: string;
  readonly entry?: string;
  /** What the entry is for. */
  readonly note?: string;
}

/** Scripts without blanks between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2,}/u;

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const ARABIC = /\p{Script=Arabic}/u;
/** Letters of Persian and Urdu that Arabic lacks. */
const NOT_ARABIC = /[پچژگٹڈڑںےکیہ]/;
/** Frequent Hindi words: other languages of this script need other stems. */
const HINDI = /(?:^|\s)(?:है|हैं|में|के|का|की|को|और)(?=$|[\s।])/;

/** A smaller share of texts is not worth an analyzer of its own. */
const LEAST_SHARE = 0.01;

/** Words that Unicode's rules leave in one: `level:error`, `java.io`, `user_id`; no initials. */
const JOINED = /[\p{L}\p{M}\p{N}]{2,}(?:[:._][\p{L}\p{M}\p{N}]{2,})+/gu;
const LETTER = /\p{L}/u;

/** The analyzer that the scripts of a column's texts need; it ignores case and accents. */
export function proposeAnalyzer(texts: readonly string[]): ProposedAnalyzer {
  const share = (pattern: RegExp) =>
    texts.filter((text) => pattern.test(text)).length / texts.length;
  if (share(HAN_OR_KANA) >= LEAST_SHARE) {
    return { name: 'characters', entry: 'tokenizer: cjk, size: 1, filters: [lowercase, folding]' };
  }
  if (share(HANGUL) >= LEAST_SHARE) return { name: 'korean' };
  if (share(ARABIC) > 0.5 && share(NOT_ARABIC) < 0.2) return stemmed('arabic');
  if (share(HINDI) > 0.1) return stemmed('hindi');
  const joined = share(UNSPACED) < LEAST_SHARE ? joinedWords(texts) : [];
  const words = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0);
  if (joined.length === 0 || joined.length < LEAST_SHARE * words) return { name: 'folded' };
  return {
    name: 'split',
    entry: 'tokenizer: simple, filters: [lowercase, folding]',
    note: `splits words at every sign: ${joined[0]}`,
  };
}

/** Words that are several ones joined by `:`, `.` or `_`, as logs have them. */
const joinedWords = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.match(JOINED) ?? []).filter((word) => LETTER.test(word));

const stemmed = (language: string): ProposedAnalyzer => ({
  name: `${language}_folded`,
  entry:
    'tokenizer: standard, ' +
    `filters: [lowercase, folding, { stemmer: { language: ${language} } }]`,
});

/**
 * The English stemmer of the Snowball project (Porter2) as its page defines it for Snowball 3
 * (snowballstem.org/algorithms/english/stemmer.html): regions R1 and R2, then steps 0 to 5 one
 * after another. Inside, a capital Y is a consonant y.
 */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((w) => [w, w] as const),
]);
/** Beginnings behind which R1 begins. */
const HEADS = ['gener', 'commun', 'arsen', 'past', 'univers', 'later', 'emerg', 'organ', 'inter'];
const VERB_ENDINGS = ['eedly', 'eed', 'edly', 'ed', 'ingly', 'ing'];
const KEEP_ING = new Set(['inn', 'out', 'cann', 'herr', 'earr', 'even']);
const KEEP_EED = new Set(['proc', 'exc', 'succ']);
const VOWELS = new Set('aeiouy');
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);

/** A word under work: its letters, and where its regions begin. */
interface Word {
  text: string;
  readonly r1: number;
  readonly r2: number;
}
/**
 * What replaces a suffix; with `after`, only behind one of these letters; with `r2`, only in R2.
 */
interface Rule {
  readonly suffix: string;
  readonly put: string;
  readonly after?: string;
  readonly r2?: true;
}
const rules = (put: string, suffixes: string, more: Omit<Rule, 'suffix' | 'put'> = {}): Rule[] =>
  suffixes.split(' ').map((suffix) => ({ suffix, put, ...more }));
/** Rules by the last letter of their suffix, the longest suffix first. */
type Table = ReadonlyMap<string, readonly Rule[]>;
const longestFirst = (all: readonly Rule[]): Table =>
  Map.groupBy(
    [...all].sort((a, b) => b.suffix.length - a.suffix.length),
    ({ suffix }) => suffix.slice(-1),
  );

const STEP_2 = longestFirst([
  ...rules('tion', 'tional'),
  ...rules('ence', 'enci'),
  ...rules('ance', 'anci'),
  ...rules('able', 'abli'),
  ...rules('ent', 'entli'),
  ...rules('ize', 'izer ization'),
  ...rules('ate', 'ational ation ator'),
  ...rules('al', 'alism aliti alli'),
  ...rules('ful', 'fulness fulli'),
  ...rules('ous', 'ousli ousness'),
  ...rules('ive', 'iveness iviti'),
  ...rules('ble', 'biliti bli'),
  ...rules('og', 'ogist'),
  ...rules('og', 'ogi', { after: 'l' }),
  ...rules('less', 'lessli'),
  ...rules('', 'li', { after: 'cdeghkmnrt' }),
]);
const STEP_3 = longestFirst([
  ...rules('tion', 'tional'),
  ...rules('ate', 'ational'),
  ...rules('al', 'alize'),
  ...rules('ic', 'icate iciti ical'),
  ...rules('', 'ful ness'),
  ...rules('', 'ative', { r2: true }),
]);
const STEP_4 = longestFirst([
  ...rules('', 'al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize'),
  ...rules('', 'ion', { after: 'st' }),
]);

/** The stem of an English word in lower case. */
export function stemEnglish(word: string): string {
  if (word.length <= 2) return word;
  const special = SPECIAL.get(word);
  if (special !== undefined) return special;
  const w = prepare(word);
  removeApostrophe(w);
  removePlural(w);
  removeVerbEnding(w);
  turnY(w);
  applyLongest(w, STEP_2, w.r1);
  applyLongest(w, STEP_3, w.r1);
  applyLongest(w, STEP_4, w.r2);
  removeLast(w);
  return w.text.replaceAll('Y', 'y');
}

const isVowel = (letter: string | undefined): boolean => letter !== undefined && VOWELS.has(letter);
const hasVowel = (text: string): boolean => /[aeiouy]/.test(text);

/** Marks consonant y, finds the regions. */
function prepare(word: string): Word {
  const bare = word.startsWith("'") ? word.slice(1) : word;
  const text = bare.includes('y') ? markConsonants(bare) : bare;
  const head = HEADS.find((start) => text.startsWith(start));
  const r1 = head?.length ?? region(text, 0);
  return { text, r1, r2: region(text, r1) };
}

/** Each y that is a consonant as Y. */
function markConsonants(word: string): string {
  let text = '';
  for (const letter of word) {
    const consonant = letter === 'y' && (text === '' || isVowel(text.at(-1)));
    text += consonant ? 'Y' : letter;
  }
  return text;
}

/** Behind the first consonant that follows a vowel, from a place on. */
function region(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isVowel(text[at])) at++;
  while (at < text.length && isVowel(text[at])) at++;
  return Math.min(at + 1, text.length);
}

/** True when text[0 .. end) ends in a short syllable. */
function endsShort(text: string, end: number): boolean {
  const [before, vowel, last] = [text[end - 3], text[end - 2], text[end - 1]];
  if (text.endsWith('past', end)) return true;
  if (end < 2 || !isVowel(vowel) || isVowel(last)) return false;
  return end === 2 || (!isVowel(before) && !'wxY'.includes(last));
}

/** Step 0. */
function removeApostrophe(w: Word): void {
  for (const suffix of ["'s'", "'s", "'"]) {
    if (!w.text.endsWith(suffix)) continue;
    w.text = w.text.slice(0, -suffix.length);
    return;
  }
}

/** Step 1a. */
function removePlural(w: Word): void {
  const { text } = w;
  if (text.endsWith('sses')) w.text = text.slice(0, -2);
  else if (text.endsWith('ied') || text.endsWith('ies')) {
    w.text = text.slice(0, text.length > 4 ? -2 : -1);
  } else if (text.endsWith('s') && !text.endsWith('us') && !text.endsWith('ss')) {
    if (hasVowel(text.slice(0, -2))) w.text = text.slice(0, -1);
  }
}

/** Step 1b. */
function removeVerbEnding(w: Word): void {
  const suffix = VERB_ENDINGS.find((ending) => w.text.endsWith(ending));
  if (suffix === undefined) return;
  const stem = w.text.slice(0, -suffix.length);
  if (suffix.startsWith('eed')) {
    if (stem.length >= w.r1 && !KEEP_EED.has(stem)) w.text = `${stem}ee`;
    return;
  }
  if (suffix === 'ing' && KEEP_ING.has(stem)) return;
  if (suffix === 'ing' && stem.length === 2 && stem[1] === 'y' && !isVowel(stem[0])) {
    w.text = `${stem[0]}ie`;
  } else if (hasVowel(stem)) w.text = mend(stem, w.r1);
}

/** A verb without its ending, with the e or the single consonant that the ending had taken. */
function mend(stem: string, r1: number): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLES.has(stem.slice(-2))) {
    const kept = stem.length === 3 && 'aeo'.includes(stem[0]);
    return kept ? stem : stem.slice(0, -1);
  }
  return stem.length === r1 && endsShort(stem, stem.length) ? `${stem}e` : stem;
}

/** Step 1c. */
function turnY(w: Word): void {
  const { text } = w;
  if (text.length > 2 && /[yY]$/.test(text) && !isVowel(text.at(-2))) {
    w.text = `${text.slice(0, -1)}i`;
  }
}

/** Steps 2 to 4: the longest suffix of the table counts, or none. */
function applyLongest(w: Word, table: Table, from: number): void {
  const rule = table.get(w.text.slice(-1))?.find(({ suffix }) => w.text.endsWith(suffix));
  if (rule === undefined) return;
  const stem = w.text.slice(0, -rule.suffix.length);
  if (stem.length < from || (rule.r2 && stem.length < w.r2)) return;
  if (rule.after !== undefined && (stem === '' || !rule.after.includes(stem.at(-1) ?? ''))) return;
  w.text = stem + rule.put;
}

/** Step 5. */
function removeLast(w: Word): void {
  const { text, r1, r2 } = w;
  const at = text.length - 1;
  if (text.endsWith('e')) {
    if (at >= r2 || (at >= r1 && !endsShort(text, at))) w.text = text.slice(0, -1);
  } else if (text.endsWith('ll') && at >= r2) w.text = text.slice(0, -1);
}

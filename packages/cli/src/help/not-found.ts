import { LhsError, nearest } from '@lakehouse-search/contract';
import { sameWords } from './same-words.ts';

type Name = readonly string[];

/** Commands that are offered together; more would be a list. */
const MAX_OFFERED = 3;

/**
 * The error of words that name no command. `commands`: all of them, under all their names.
 * `indexes`: names of indexes, which can stand for a search.
 */
export function unknownCommand(
  words: readonly string[],
  commands: readonly { readonly id: string; readonly hidden: boolean }[],
  indexes: readonly string[] = [],
): LhsError {
  const known = commands.filter(({ hidden }) => !hidden).map(({ id }) => id.split(':'));
  const { message, hint } = notFound(words, known, nearest(words[0], indexes));
  return new LhsError('invalid_argument', message, { hint });
}

/** What is wrong with the words of a command line, and the way out. */
export function notFound(
  words: readonly string[],
  known: readonly Name[],
  index?: string,
): { readonly message: string; readonly hint: string } {
  if (words[0]?.startsWith('-')) {
    const message = `"${words[0]}" comes before the command`;
    return { message, hint: `flags follow the command: lhs COMMAND ${words[0]}` };
  }
  const wrong = words.findIndex((_, i) => !known.some((name) => beginsWith(name, words, i + 1)));
  const right = words.slice(0, wrong);
  if (wrong > 0 && known.some((name) => name.length === wrong && beginsWith(name, right, wrong))) {
    const command = `lhs ${right.join(' ')}`;
    const message = `${command} does not take "${words[wrong]}"`;
    return { message, hint: `${command} --help shows what it takes` };
  }
  const message = `there is no command "${[...right, words[wrong]].join(' ')}"`;
  const near = meantBy(words, wrong, known);
  const ofIndex = index === undefined ? [] : [`lhs search ${index}`];
  const names = [...near.map((name) => `lhs ${name.join(' ')}`), ...ofIndex];
  if (names.length > 0) return { message, hint: `did you mean ${names.join(', ')}?` };
  return { message, hint: `lhs ${[...right, '--help'].join(' ')} lists the commands` };
}

const beginsWith = (name: Name, words: readonly string[], length: number): boolean =>
  words.slice(0, length).every((word, i) => word === name[i]);

/** The commands that were probably meant if the word at `wrong` is none: over all topics. */
function meantBy(words: readonly string[], wrong: number, known: readonly Name[]): readonly Name[] {
  const word = words[wrong].toLowerCase();
  const among = (...ends: readonly string[]) => known.filter((name) => ends.includes(lastOf(name)));
  const near = nearest(word, new Set(known.map(lastOf)));
  const offers = [
    among(word),
    among(...sameWords(word)),
    nearestName(words, wrong, known),
    near === undefined ? [] : among(near),
    // a topic that other tools have as a command
    wrong === 1 ? among(...sameWords(words[0])) : [],
  ];
  const topic = words.slice(0, wrong);
  const below = offers.map((names) => names.filter((name) => beginsWith(name, topic, wrong)));
  return [...below, ...offers].map(few).find((names) => names.length > 0) ?? [];
}

const lastOf = (name: Name): string => name.at(-1) ?? '';

/** The shortest names, those of indexes first: all of them, or none if they are many. */
function few(names: readonly Name[]): readonly Name[] {
  const length = Math.min(...names.map((name) => name.length));
  const short = names.filter((name) => name.length === length);
  const ofIndexes = short.filter(([topic]) => topic === 'index');
  const others = short.filter((name) => !ofIndexes.includes(name));
  return short.length > MAX_OFFERED ? ofIndexes.slice(0, 1) : [...ofIndexes, ...others];
}

/** The name that the words are nearest to if each is corrected at its level. */
function nearestName(words: readonly string[], wrong: number, known: readonly Name[]): Name[] {
  let meant: Name = [];
  for (const word of words) {
    const below = known.filter((name) => beginsWith(name, meant, meant.length));
    const next = nearest(word, new Set(below.flatMap((name) => name[meant.length] ?? [])));
    if (next === undefined) break;
    meant = [...meant, next];
  }
  return meant.length > wrong ? [meant] : [];
}

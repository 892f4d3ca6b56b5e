import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import { topicOf } from '../terminal/errors/nouns.ts';
import { shellWord } from '../terminal/errors/shell-word.ts';
import { pageNames } from './pages.ts';
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
  const { message, hint } = notFound(words, known, indexes);
  return new LhsError('invalid_argument', message, { hint });
}

/** What is wrong with the words of a command line, and the way out. */
export function notFound(
  words: readonly string[],
  known: readonly Name[],
  indexes: readonly string[] = [],
): { readonly message: string; readonly hint: string } {
  const wrong = words.findIndex((_, i) => !known.some((name) => beginsWith(name, words, i + 1)));
  const right = words.slice(0, wrong);
  const command = ['lhs', ...right].join(' ');
  if (wrong > 0 && known.some((name) => name.length === wrong && beginsWith(name, right, wrong))) {
    const below = named(words[wrong], known).filter((name) => beginsWith(name, right, wrong));
    const meant = hintOf(few([...ofNoun(words[wrong - 1], words[wrong], known), ...below]));
    const hint = meant ?? `${command} --help shows what it takes`;
    return { message: `${command} does not take "${words[wrong]}"`, hint };
  }
  if (words[wrong].startsWith('-')) {
    const flags = `flags follow the command: ${command} COMMAND ${words[wrong]}`;
    const hint = wrong === 0 ? hintOf(few(named(words[0], known))) : undefined;
    return { message: `"${words[wrong]}" comes before the command`, hint: hint ?? flags };
  }
  const message = `there is no command "${[...right, words[wrong]].join(' ')}"`;
  const meant = fileName(words) ?? getOf(words, indexes) ?? meantBy(words, wrong, known);
  const hint = hintOf([...meant, ...searchOf(words, indexes, meant.length === 0)]);
  return { message, hint: hint ?? `${command} --help lists the commands` };
}

function hintOf(names: readonly Name[]): string | undefined {
  if (names.length === 0) return undefined;
  return `did you mean ${names.map((name) => `lhs ${name.join(' ')}`).join(', ')}?`;
}

const beginsWith = (name: Name, words: readonly string[], length: number): boolean =>
  words.slice(0, length).every((word, i) => word === name[i]);

/** The command that takes the file which the first word names. */
function fileName([file]: readonly string[]): readonly Name[] | undefined {
  if (!/\.\w+$/.test(file) || !existsSync(file)) return undefined;
  const word = shellWord(file);
  if (/\.ya?ml$/.test(file)) return [['index', 'apply', word]];
  return [['import', word, '--table', 'NAMESPACE.TABLE']];
}

/** What `get INDEX` and `get INDEX KEY` mean. */
function getOf([verb, ...rest]: readonly string[], indexes: readonly string[]) {
  if (verb !== 'get' || !indexes.includes(rest[0])) return undefined;
  const keys = ['keys', 'get', ...rest.map(shellWord)];
  return rest.length > 1
    ? [keys]
    : [
        ['index', 'describe', rest[0]],
        [...keys, 'KEY'],
      ];
}

/** The search of the index that the first word is nearest to, or of one `behind` it. */
function searchOf(words: readonly string[], indexes: readonly string[], behind: boolean): Name[] {
  const other = behind ? words.find((word) => indexes.includes(word)) : undefined;
  const index = nearest(words[0], indexes) ?? other;
  return index === undefined ? [] : [['search', index]];
}

/** The commands that were probably meant if the word at `wrong` is none: over all topics. */
function meantBy(words: readonly string[], wrong: number, known: readonly Name[]): readonly Name[] {
  const below = known.filter((name) => beginsWith(name, words, wrong));
  const near = nearest(words[wrong].toLowerCase(), new Set(known.map(lastOf)));
  const offers = [
    ofNoun(words[wrong], words[wrong + 1] ?? '', known),
    named(words[wrong], below).filter((name) => beginsWith(name, words, wrong)),
    nearestName(words, wrong, known),
    near === undefined ? [] : endingWith(near, below),
    // a topic that other tools have as a command
    wrong === 1 ? named(words[0], known).filter(([first]) => first !== 'help') : [],
    below.length === 1 ? below : [],
    named(words[wrong], known),
    near === undefined ? [] : endingWith(near, known),
  ];
  return offers.map(few).find((names) => names.length > 0) ?? [];
}

const lastOf = (name: Name): string => name.at(-1) ?? '';
const endingWith = (word: string, known: readonly Name[]): readonly Name[] =>
  known.filter((name) => lastOf(name) === word);

/** The commands that a word names here and in other tools. */
function named(typed: string, known: readonly Name[]): readonly Name[] {
  const word = typed.toLowerCase().replace(/^(?:.*\/)?[-._]*/, '');
  const page = pageNames().includes(word) ? [['help', word]] : [];
  const exact = [...endingWith(word, known), ...page];
  if (exact.some((name) => name.length === 1 || name[0] === 'index')) return exact;
  const others = sameWords(word).flatMap((same) =>
    same.includes(':') ? [same.split(':')] : endingWith(same, known),
  );
  return [...exact, ...others];
}

/** The commands of a verb before a noun, as in `describe index` or `get jobs`. */
function ofNoun(verb: string, noun: string, known: readonly Name[]): readonly Name[] {
  const topic = topicOf(noun);
  if (topic === undefined) return [];
  const meaning = ['get', 'show', 'cat'].includes(verb)
    ? [noun.endsWith('s') ? 'list' : 'describe']
    : [];
  const below = known.filter((name) => name.length > 1 && name[0] === topic);
  const names = [...meaning, verb].map((word) =>
    named(word, below).filter((name) => below.includes(name)),
  );
  return names.find((all) => all.length > 0) ?? [];
}

/** The shortest names, those of indexes first: all of them, or none if they are many. */
function few(names: readonly Name[]): readonly Name[] {
  const length = Math.min(...names.map((name) => name.length));
  const short = [...new Set(names.filter((name) => name.length === length))];
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

/**
 * The query that the screen runs for a line, which is not finished while the user types:
 *
 * 1. clauses `field:value` side by side narrow, as those of a filter do: `leak severity:1` runs
 *    `leak AND severity:1`. Operators in the line switch this off.
 * 2. the last word is a prefix, too: `token le` runs `token (le OR le*)`.
 */
import type { FieldDescription } from '../indexes/response.ts';
import type { SearchRequest } from '../search/request.ts';
import { type QueryWord, queryWords } from './query-words.ts';

/** Fields whose values have prefixes. Paths in variants are not among `fields` and may have. */
const PREFIXED = ['TEXT', 'KEYWORD'];

/** A clause of a list: adjacent parts of the line without blanks outside of brackets. */
interface Clause {
  readonly text: string;
  readonly parts: readonly QueryWord[];
}

/** How a line is read. */
type JoinedBy = Pick<SearchRequest, 'syntax' | 'default_operator'>;

/** The query that runs for a line: its clauses joined, its last word as a word or a prefix. */
export const ranQuery = (
  text: string,
  fields: readonly FieldDescription[],
  how: JoinedBy,
): string => joinedQuery(prefixedQuery(text, fields), how);

/** The line with clauses of fields joined by AND, as it is saved and explained. */
export function joinedQuery(text: string, how: JoinedBy): string {
  if (how.syntax === 'kql' || how.default_operator === 'and') return text;
  const clauses = clausesOf(text);
  if (clauses === undefined) return text;
  const excluded = clauses.filter(isExcluded);
  const included = clauses.filter((clause) => !isExcluded(clause));
  const fields = included.filter(isOfField);
  if (fields.length === 0 || included.length < 2) return text;
  const words = included.filter((clause) => !isOfField(clause)).map((clause) => clause.text);
  return [
    ...(words.length > 1 ? [`(${words.join(' ')})`] : words),
    ...fields.map((clause) => clause.text),
    ...excluded.map((clause) => `NOT ${clause.text.slice(1)}`),
  ].join(' AND ');
}

/** The line without an operator, field, bracket or quote at its end that waits for more. */
export function completePart(text: string): string {
  const open = (text.match(/"/g)?.length ?? 0) % 2 === 1 ? text.replace(/"([^"]*)$/, '$1') : text;
  const part = open.replace(UNFINISHED, '');
  return part === text ? '' : part.trimEnd();
}
const UNFINISHED = /(?:(?:^|\s)(?:AND|OR|NOT|TO|&&|\|\|)|(?:^|\s)[\w.]+:|[\s([{<>=+!-]+$|\s+)+$/u;

/** The line with its last word as a word or a prefix; as it is if it does not end in a word. */
export function prefixedQuery(text: string, fields: readonly FieldDescription[]): string {
  const parts = queryWords(text);
  const last = parts.at(-1);
  if (last?.kind !== 'word' || !ENDS_IN_LETTER.test(text) || isOpen(parts, text)) return text;
  const before = parts.at(-2);
  const stands =
    before === undefined ||
    before.kind === 'blank' ||
    before.kind === 'field' ||
    /^\(+$/.test(textOf(text, before));
  const type = fields.find(({ name }) => name === last.field)?.type;
  if (!stands || (type !== undefined && !PREFIXED.includes(type))) return text;
  const excludes = before?.kind === 'field' && /(^|[\s(])[-!]$/.test(text.slice(0, before.from));
  const word = textOf(text, last);
  if (excludes || /^\/|[~^<>=]/.test(word)) return text;
  return `${text.slice(0, last.from)}(${word} OR ${word}*)`;
}
const ENDS_IN_LETTER = /[\p{L}\p{N}\p{M}_]$/u;

const textOf = (text: string, { from, to }: QueryWord): string => text.slice(from, to);

/** Whether a bracket is open at the end of the line. */
function isOpen(parts: readonly QueryWord[], text: string): boolean {
  let depth = 0;
  for (const part of parts) if (part.kind === 'sign') depth += opened(textOf(text, part));
  return depth !== 0;
}

const opened = (signs: string): number =>
  (signs.match(/[([{]/g)?.length ?? 0) - (signs.match(/[)\]}]/g)?.length ?? 0);

/** The clauses of a list; undefined if the line has operators, regular expressions or is open. */
function clausesOf(text: string): readonly Clause[] | undefined {
  const clauses: QueryWord[][] = [[]];
  let depth = 0;
  for (const part of queryWords(text)) {
    const own = textOf(text, part);
    if (part.kind === 'sign') depth += opened(own);
    if (depth === 0 && part.kind === 'operator') return undefined;
    if (part.kind === 'word' && own.startsWith('/')) return undefined;
    if (depth === 0 && part.kind === 'blank') clauses.push([]);
    else clauses.at(-1)?.push(part);
  }
  const found = clauses
    .filter((parts) => parts.length > 0)
    .map((parts) => ({ parts, text: text.slice(parts[0].from, parts[parts.length - 1].to) }));
  const isPlain = depth === 0 && !found.some((clause) => clause.text.startsWith('+'));
  return isPlain ? found : undefined;
}

const isExcluded = ({ text }: Clause): boolean => /^[-!]./.test(text);

const isOfField = ({ parts }: Clause): boolean => parts[0].kind === 'field';

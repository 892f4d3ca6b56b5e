/** `highlight`: our fragments of segments, as texts with tags. */
import type { HighlightSpec, Hit, Json, JsonObject } from '@lakehouse-search/contract';
import { matches } from '../base/filter-path.ts';
import {
  flagIn,
  listIn,
  objectIn,
  patternsIn,
  repeatedIn,
  textIn,
  wholeIn,
} from '../base/read-json.ts';
import { isObject } from '../query/body.ts';
import type { FieldTable } from '../query/field-table.ts';
import { clipped, malformed, unserved } from '../query/refusal.ts';

/** Highlighting of a search. */
export interface HighlightPlan {
  readonly spec: HighlightSpec;
  readonly pre: string;
  readonly post: string;
  readonly isHtml: boolean;
  /** Characters of a field in which nothing matched. */
  readonly noMatch: number;
}

const FRAGMENTS = 5;
const FRAGMENT_SIZE = 100;
/** The longest fragment of ours; whole fields are cut there. */
const LONGEST = 100_000;
const OPTIONS = [
  ...['fields', 'pre_tags', 'post_tags', 'number_of_fragments', 'fragment_size', 'encoder'],
  ...['type', 'order', 'require_field_match', 'no_match_size', 'tags_schema', 'fragmenter'],
  ...['boundary_scanner', 'boundary_max_scan', 'boundary_chars', 'boundary_scanner_locale'],
  ...['max_analyzed_offset', 'phrase_limit'],
];

const HIGHLIGHTED: ReadonlySet<string> = new Set(['TEXT', 'KEYWORD']);

/** Reads `highlight`. Fields are those of the index that the names and patterns select. */
export function readHighlight(json: Json, table: FieldTable): HighlightPlan | undefined {
  const body = objectIn(json, 'highlight');
  const entries = fieldEntries(body.fields);
  const options = { ...body, ...sameOptions(entries.map(([, own]) => own)) };
  checkOptions(options);
  const names = [...table.fields.values()].filter(({ type }) => HIGHLIGHTED.has(type));
  const fields = names
    .map(({ name }) => name)
    .filter((name) => entries.some(([pattern]) => matches(pattern, name)));
  if (fields.length === 0) return undefined;
  const fragments = wholeIn(options.number_of_fragments ?? FRAGMENTS, 'number_of_fragments');
  const size = wholeIn(options.fragment_size ?? FRAGMENT_SIZE, 'fragment_size');
  const isWhole = fragments === 0 || size === 0;
  return {
    spec: {
      fields,
      max_fragments: isWhole ? 1 : Math.min(100, fragments),
      fragment_size: isWhole ? LONGEST : Math.min(LONGEST, size),
    },
    pre: tagOf(options.pre_tags, '<em>'),
    post: tagOf(options.post_tags, '</em>'),
    isHtml: options.encoder === 'html',
    noMatch: wholeIn(options.no_match_size ?? 0, 'no_match_size'),
  };
}

function fieldEntries(json: Json | undefined): readonly (readonly [string, JsonObject])[] {
  if (json === undefined) throw malformed('[highlight] requires [fields]');
  const entries = listIn(json).flatMap((one) =>
    Object.entries(objectIn(one, 'highlight.fields')).map(
      ([name, own]) => [name, objectIn(own, `highlight.fields.${clipped(name)}`)] as const,
    ),
  );
  patternsIn(
    entries.map(([name]) => name),
    'highlight.fields',
  );
  return entries;
}

/** Options of single fields: our highlighter has one set of them for all fields. */
function sameOptions(all: readonly JsonObject[]): JsonObject {
  const [first = {}] = all;
  const text = JSON.stringify(first);
  if (all.every((own) => JSON.stringify(own) === text)) return first;
  throw unserved('[highlight] with different options per field is not served by this adapter');
}

function checkOptions(options: JsonObject): void {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'highlight_query' || name === 'matched_fields') {
      throw unserved(`[highlight] option [${name}] is not served by this adapter`);
    }
    if (!OPTIONS.includes(name)) throw malformed(`[highlight] unknown field [${clipped(name)}]`);
    const isOther =
      (name === 'require_field_match' && !flagIn(value, name)) ||
      (name === 'tags_schema' && value !== 'default');
    if (!isOther) continue;
    const shown = clipped(JSON.stringify(value));
    throw unserved(`[highlight] with [${name}: ${shown}] is not served by this adapter`);
  }
}

const tagOf = (json: Json | undefined, fallback: string): string =>
  json === undefined ? fallback : repeatedIn(textIn(listIn(json)[0], 'tags'), 'tags');

/** The `highlight` of a hit; undefined: nothing is marked. */
export function highlightOf(
  { highlight = {}, fields: values = {} }: Hit,
  { pre, post, isHtml, noMatch, spec }: HighlightPlan,
): JsonObject | undefined {
  const entries = Object.entries(highlight);
  const encoded = isHtml ? escapeHtml : (text: string) => text;
  const fields = entries.map(([field, fragments]) => {
    const texts = fragments.map((segments) =>
      segments
        .map(({ text, marked }) => (marked ? `${pre}${encoded(text)}${post}` : encoded(text)))
        .join(''),
    );
    return [field, texts] as const;
  });
  const others = (noMatch === 0 ? [] : (spec.fields ?? [])).flatMap((name) => {
    const text = values[name];
    if (Object.hasOwn(highlight, name) || typeof text !== 'string' || text === '') return [];
    return [[name, [encoded(beginning(text, noMatch))]] as const];
  });
  const all = [...fields, ...others];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The first words of a text, up to a number of characters. */
function beginning(text: string, size: number): string {
  if (text.length <= size) return text;
  const cut = text.slice(0, size);
  const space = cut.search(/\s\S*$/);
  return /\s/.test(text[size]) || space <= 0 ? cut : cut.slice(0, space);
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
  '/': '&#x2F;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"'/]/g, (char) => HTML[char]);

/** Whether a request has a highlight at all. */
export const hasHighlight = (json: Json | undefined): json is Json =>
  json !== undefined && !(isObject(json) && Object.keys(json).length === 0);

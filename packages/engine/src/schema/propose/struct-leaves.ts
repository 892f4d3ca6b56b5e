/** What the values inside of a struct suggest: typed leaves, and a title. */
import { isPlain } from '@lakehouse-search/contract/internal';
import type { Type, Value } from '@lakehouse-search/lake';
import { COLUMN_RULES } from '../column-rules.ts';
import type { FieldType } from '../definition.ts';
import { fieldNameFault } from '../parse/parse-field.ts';
import { proposeText } from './propose-text.ts';
import { yamlScalar } from './source-lines.ts';
import { titleRank } from './title-names.ts';

/** Typed leaves of one struct column. */
const MOST_LEAVES = 50;

/** A leaf of a struct that has a type of its own, by its path. */
export interface TypedLeaf {
  readonly path: string;
  readonly type: FieldType;
  readonly folded?: boolean | undefined;
  /** Of a TEXT. */
  readonly analyzer?: string | undefined;
}

/** The leaves of a column: numbers and dates first, then categories; of its texts the best title. */
export function proposedLeaves(
  type: Type,
  sample: readonly Value[],
): { readonly leaves: readonly TypedLeaf[]; readonly title?: TypedLeaf } {
  const all = typedLeaves(type, sample);
  const leaves = all.filter((leaf) => leaf.type !== 'TEXT');
  const texts = all.filter((leaf) => leaf.type === 'TEXT');
  const [title] = texts.toSorted((a, b) => titleRank(a.path) - titleRank(b.path));
  return {
    leaves: leaves.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST_LEAVES),
    ...(title && { title }),
  };
}

const rankOf = ({ type }: TypedLeaf): number => Number(type === 'KEYWORD');

/**
 * The leaves of structs, also in lists: numbers, dates, booleans, whole values of texts that come
 * more than once, and short texts that differ.
 */
function typedLeaves(
  type: Type,
  sample: readonly Value[],
  path: readonly string[] = [],
): readonly TypedLeaf[] {
  if (type.kind === 'list') return typedLeaves(type.element, sample.flat(), path);
  if (type.kind === 'struct') {
    const named = type.fields.filter(({ name }) => fieldNameFault(name) === null);
    return named.flatMap((field) => {
      const values = sample.map((value) => memberOf(value, field.name));
      return typedLeaves(field.type, values, [...path, field.name]);
    });
  }
  if (path.length === 0) return [];
  const leaf = { path: path.join('.') };
  if (type.kind === 'string') {
    const { type: own, cached, folded, analyzer, hasFacet } = proposeText(sample);
    if (hasFacet) return [{ ...leaf, type: 'KEYWORD', folded: true }];
    if (own === 'KEYWORD') return cached ? [{ ...leaf, type: own, folded }] : [];
    const isTitle = own === 'TEXT' && cached && analyzer?.entry === undefined;
    return isTitle ? [{ ...leaf, type: own, analyzer: analyzer?.name }] : [];
  }
  const own = (['LONG', 'DOUBLE', 'BOOL', 'DATE'] as const).find((one) =>
    COLUMN_RULES[one].includes(type.kind),
  );
  return own === undefined ? [] : [{ ...leaf, type: own }];
}

const memberOf = (value: Value, name: string): Value =>
  isPlain(value) ? ((value as { readonly [name: string]: Value })[name] ?? null) : null;

/** The line of a leaf in the fields of a shape. */
export function leafLine({ path, type, folded, analyzer }: TypedLeaf): string {
  const flags = [...(folded ? ['folded'] : []), ...(type === 'KEYWORD' ? ['fast'] : [])];
  const text = type === 'TEXT' ? `, analyzer: ${analyzer}, cached: true` : '';
  const settings = flags.map((flag) => `, ${flag}: true`).join('');
  return `          - { path: ${yamlScalar(path)}, type: ${type}${text}${settings} }`;
}

import { didYouMean } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { Definition, FieldDefinition, VariantDefinition } from '../definition.ts';
import { readTexts } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/**
 * The fields of a definition's `default_fields`, each an indexed TEXT or KEYWORD field of it or a
 * flattened column, as written: a name, or a name and a weight (`title^2`).
 */
export function parseDefaultFields(
  tree: Tree,
  declared: readonly FieldDefinition[],
  variants: readonly VariantDefinition[],
  report: Report,
): readonly string[] {
  const flattened = variants.filter(({ flatten }) => flatten);
  const texts = flattened.map(
    ({ column: name }) => ({ name, type: 'TEXT', indexed: true }) as const,
  );
  const fields = [...declared, ...texts];
  const written = readTexts(tree, 'default_fields', report);
  if (written.length === 0 || written.length > LIMITS.defaultFields) {
    report.error(tree.at, `default_fields needs 1 to ${LIMITS.defaultFields} names of fields`);
  }
  for (const { text: entry, at } of written) {
    const { name: text, weight } = weightedField(entry);
    if (!(weight > 0 && weight <= HEAVIEST)) {
      report.error(at, `the weight of "${entry}" must be a number above 0, at most ${HEAVIEST}`);
    }
    const field = fields.find(({ name }) => name === text);
    if (field === undefined) {
      const near = didYouMean(
        text,
        fields.map(({ name }) => name),
      );
      report.error(at, `"${text}" in default_fields is not a field of this definition${near}`);
    } else if (!WORDS.has(field.type) || !field.indexed) {
      report.error(at, `"${text}" in default_fields must be an indexed TEXT or KEYWORD field`);
    }
  }
  return Object.freeze(written.map(({ text }) => text));
}

/** Types of fields that bare words can search: words of a TEXT, whole values of a KEYWORD. */
const WORDS: ReadonlySet<string> = new Set<FieldDefinition['type']>(['TEXT', 'KEYWORD']);

/** Largest weight of a default field. */
const HEAVIEST = 1000;

/** A default field as a definition writes it; without a weight it counts once. */
export interface WeightedField {
  readonly name: string;
  readonly weight: number;
}

/** Reads `title^2`. */
export function weightedField(entry: string): WeightedField {
  const at = entry.indexOf('^');
  if (at < 0) return { name: entry, weight: 1 };
  const weight = entry.slice(at + 1);
  return { name: entry.slice(0, at), weight: weight.trim() === '' ? Number.NaN : Number(weight) };
}

/**
 * The fields that bare words search, as written: those of the definition, else its first indexed
 * TEXT field, else its indexed KEYWORD fields.
 */
export function defaultFieldsOf(
  { defaultFields }: Definition,
  fields: readonly { readonly name: string; readonly type: string; readonly indexed: boolean }[],
): readonly string[] {
  if (defaultFields !== undefined) return defaultFields;
  const named = (of: FieldDefinition['type'], limit: number) =>
    fields.filter(({ type, indexed }) => type === of && indexed).slice(0, limit);
  const [text] = named('TEXT', 1);
  const found = text === undefined ? named('KEYWORD', LIMITS.defaultFields) : [text];
  return Object.freeze(found.map(({ name }) => name));
}

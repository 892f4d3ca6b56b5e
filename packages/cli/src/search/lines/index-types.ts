import { inspect } from 'node:util';
import type { FieldDescription, IndexDescription } from '@lakehouse-search/contract';

const literal = (value: unknown): string =>
  inspect(value, {
    depth: null,
    breakLength: Number.POSITIVE_INFINITY,
    compact: true,
    maxArrayLength: null,
    maxStringLength: null,
  });

/** The TypeScript of an index: what `typed` needs to know of it. `library`: where from. */
export function indexTypes(index: IndexDescription, library: string): string {
  const columns = new Set(index.variants.map(({ column }) => column));
  const fields = index.fields.filter(({ name, path }) => path === undefined && !columns.has(name));
  const lists = fields.filter((field) => field.multi_valued).map(({ name }) => name);
  const variants = index.variants.map(({ column, flatten }) => ({ column, flatten }));
  const lines = [
    'version: 1,',
    `index: ${literal(index.index)},`,
    `source: ${literal(sourceOf(index))},`,
    'fields: [',
    ...fields.map((field) => `  ${literal(fieldOf(field))},`),
    '],',
    ...(variants.length === 0 ? [] : [`variants: ${literal(variants)},`]),
  ];
  return [
    `import { defineIndex } from '${library}';`,
    '',
    '/** Types for searches. The definition has more settings: create the index from that. */',
    `export const ${constantOf(index.index)} = defineIndex(`,
    '  {',
    ...lines.map((line) => `    ${line}`),
    '  },',
    `  { lists: ${literal(lists)} },`,
    ');',
  ].join('\n');
}

/** The catalog's name or, as a service hides the settings of unnamed catalogs, its type. */
function sourceOf({ index, source = { path: index } }: IndexDescription): object {
  const { s3: _, ...shown } = source;
  const { type, ...settings } = Object(source.catalog);
  const isHidden = type !== undefined && Object.keys(settings).length === 0;
  return isHidden ? { ...shown, catalog: type } : shown;
}

/** `my-incidents` as `myIncidentsIndex`, which is no reserved word. */
const constantOf = (index: string): string => {
  const joined = index.replace(/[-_]+(.?)/g, (_, next: string) => next.toUpperCase());
  return `${/^\d/.test(joined) ? '_' : ''}${joined}Index`;
};

const SLOW_BY_DEFAULT: readonly string[] = ['TEXT', 'KEYWORD'];

function fieldOf({ name, type, source, fast, cached, indexed }: FieldDescription): object {
  const from = source.length === 1 && source[0] === name ? {} : { source };
  if (type === 'VECTOR') return { name, ...from, type };
  return {
    name,
    ...from,
    type,
    ...(fast === !SLOW_BY_DEFAULT.includes(type) ? {} : { fast }),
    ...(cached ? { cached } : {}),
    ...(indexed ? {} : { indexed }),
  };
}

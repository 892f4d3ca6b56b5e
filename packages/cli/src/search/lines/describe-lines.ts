import type {
  FieldDescription,
  IndexDescription,
  VectorFieldDescription,
} from '@lakehouse-search/contract';
import { bytes, count, plural, snapshotName } from '../../terminal/figures.ts';
import { failureWords, keptLines, publishedWords } from '../../terminal/generation-lines.ts';
import type { Style } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';
import { pad, printable, width, wrap } from '../../terminal/text.ts';
import { nextOf } from '../next-search.ts';

/**
 * An index as people read it: its figures, its fields and what each can do, what it sorts by, what
 * it is near in, and what to do next.
 */
export function describeLines(index: IndexDescription, style: Style, columns: number): string[] {
  const about = index.fields.some(({ description }) => description !== undefined);
  const names = ['field', 'type', 'can', 'from', ...(about ? ['about'] : [])];
  const titles = names.map((title) => ({ title }));
  const rows = index.fields.map((f) => {
    const known = [f.name, f.type, abilities(f), f.source.join(', ')];
    return about ? [...known, f.description ?? ''] : known;
  });
  return [
    ...figures(index, style, columns).flatMap((line) => wrap(line, columns)),
    '',
    ...table(titles, rows, columns, style.dim),
    ...lists(index, style, columns),
    '',
    style.dim(`next: ${nextOf(index)}`),
  ];
}

function figures(index: IndexDescription, style: Style, columns: number): string[] {
  const { partition, identifier } = index.key;
  const key = [...partition, ...identifier].join(', ');
  const source = `of ${endOf(sourceName(index), columns - 4)}; key ${key}`;
  const words = index.description === undefined ? [] : [printable(index.description)];
  if (index.status === 'created') {
    return [`${index.index}  created, not built`, ...words, source];
  }
  const { segments = 0, deleted_docs: deletedDocs = 0, shards = [] } = index;
  const parts =
    plural(segments, 'segment') + (shards.length > 1 ? ` of ${shards.length} shards` : '');
  const size = `${plural(index.num_docs, 'row')}, ${bytes(index.bytes ?? 0)} in ${parts}`;
  const snapshot =
    index.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(index.snapshot)}`;
  const deleted =
    deletedDocs === 0
      ? ''
      : `; ${plural(deletedDocs, 'deleted row')} ${deletedDocs === 1 ? 'awaits' : 'await'} a merge`;
  return [
    `${index.index}  live, generation ${index.index_generation}, ${size}`,
    ...words,
    `at ${snapshot} ${source}${deleted}`,
    ...(index.read_restrictions === undefined
      ? []
      : ["built under the catalog's read restrictions: some rows or values are hidden"]),
    ...keptLines(index.generations),
    ...published(index),
    ...mergeFailure(index, style),
  ];
}

function published(index: IndexDescription): string[] {
  const words = publishedWords(index);
  return words === null ? [] : [`published ${words}`];
}

const mergeFailure = ({ merge_failure: failure }: IndexDescription, style: Style): string[] =>
  failure === undefined ? [] : [style.yellow(`merges ${failureWords(failure)}`)];

/** The table's name in its catalog, or its path; with the branch or tag that is followed. */
function sourceName({ source = {} }: IndexDescription): string {
  const { table: name, path, ref } = source;
  const at = typeof ref === 'string' ? `@${ref}` : '';
  return printable(`${String(name ?? path)}${at}`);
}

/** A long path by its end. */
function endOf(name: string, columns: number): string {
  if (width(name) <= columns) return name;
  return `…${[...name].slice(-Math.max(1, columns - 1)).join('')}`;
}

function abilities(field: FieldDescription): string {
  const can: string[] = [];
  if (field.type === 'VECTOR') can.push('nearest');
  else if (field.indexed) {
    const how = field.folded ? 'folded' : field.analyzer;
    can.push(how === undefined ? 'indexed' : `indexed (${how})`);
  }
  if (field.fast) can.push('fast');
  if (field.cached) can.push('cached');
  if (field.multi_valued) can.push('several');
  if (field.sensitive) can.push('sensitive');
  return can.join(' ');
}

/**
 * `times    opened_at`, `sorts    service, severity`, `vectors  about: …`; those that are not
 * empty.
 */
function lists(index: IndexDescription, style: Style, columns: number): string[] {
  const lines: (readonly [string, string])[] = [
    ['words in', index.default_fields.join(', ')],
    ['times', index.time_fields.join(', ')],
    ['windows', windowWords(index)],
    ['sorts by', ['_score', '_key', ...index.sort_fields].join(', ')],
    ...index.vector_fields.map((field) => ['vectors', vectorWords(field, index)] as const),
  ];
  const said = lines.filter(([, words]) => words !== '');
  const wide = Math.max(...said.map(([name]) => width(name)));
  const indent = ' '.repeat(wide + 2);
  const printed = said.flatMap(([name, words]) => {
    const [first, ...rest] = wrap(printable(words), columns - wide - 2, '');
    return [`${style.dim(pad(name, wide))}  ${first}`, ...rest.map((line) => indent + line)];
  });
  return ['', ...printed];
}

/** `12, one per month of opened_at`. */
function windowWords({ windows }: IndexDescription): string {
  if (windows === undefined) return '';
  return `${count(windows.windows.length)}, one per ${windows.every} of ${windows.field}`;
}

/** `about: 384 numbers, cosine, model default (80d3…), 5,018 of 5,018 rows, 3.9 MB`. */
function vectorWords(field: VectorFieldDescription, { status, num_docs: rows }: IndexDescription) {
  const { name, dims, similarity, index, model, documents = 0 } = field;
  const by =
    model === null
      ? 'as the rows have them'
      : 'model ' +
        `${model.name}${model.checksum === undefined ? '' : ` (${model.checksum.slice(0, 8)})`}`;
  const kind = `${name}: ${count(dims)} numbers, ${similarity}, ${index}, ${by}`;
  if (status === 'created') return kind;
  return `${kind}, ${count(documents)} of ${plural(rows, 'row')}, ${bytes(field.bytes ?? 0)}`;
}

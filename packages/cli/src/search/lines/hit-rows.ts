import {
  type Hit,
  type IndexDescription,
  LhsError,
  type ModeRequest,
  type SearchResponse,
} from '@lakehouse-search/contract';
import type { OutputColumn, OutputRow } from '../../output/columns.ts';
import { columnsOf } from '../../output/value-kinds.ts';
import type { RowTable } from '../../output/write-answer.ts';
import { fieldColumns, keyCells, keyColumns } from './field-columns.ts';

/**
 * Hits as rows: `key_<name>`, `score`, of a hybrid search `lexical_rank`, `lexical_score` and the
 * same of `semantic`, the cached fields, and if requested `collapse_value`,
 * `collapse_count`, `sort` and `highlight` (JSON), `row_<column>` of hydrated rows,
 * `row_newer` and `hydrate_error`. NDJSON has the hits as they go over the wire.
 */
export function hitTable(
  answer: SearchResponse,
  { mode, request }: ModeRequest,
  index: IndexDescription,
): RowTable {
  const shown = request.fields ?? index.fields.map((field) => field.name);
  const fields = [...new Set(shown)].flatMap((name) =>
    index.fields.filter((field) => field.cached && field.name === name),
  );
  const rows = answer.hits.map(hitRow);
  const hydrated = new Set(answer.hits.flatMap((hit) => Object.keys(hit.row ?? {})));
  const more = [...hydrated].map((name) => `row_${name}`);
  const columns: OutputColumn[] = [
    ...keyColumns(index),
    { name: 'score', kind: 'double' },
    ...(mode === 'hybrid' ? ARM_COLUMNS : []),
    ...fieldColumns(fields),
    ...(request.collapse === undefined ? [] : columnsOf(['collapse_value'], rows)),
    ...asked(request.collapse, { name: 'collapse_count', kind: 'long' }),
    ...asked(request.sort, { name: 'sort', kind: 'json' }),
    ...asked(request.highlight, { name: 'highlight', kind: 'json' }),
    ...columnsOf(more, rows),
    ...asked(request.hydrate, { name: 'row_newer', kind: 'bool' }),
    ...asked(request.hydrate, { name: 'hydrate_error', kind: 'text' }),
  ];
  refuseTwice(columns);
  return { columns, rows, records: answer.hits.map((hit) => ({ ...hit })) };
}

const ARM_COLUMNS: readonly OutputColumn[] = [
  { name: 'lexical_rank', kind: 'long' },
  { name: 'lexical_score', kind: 'double' },
  { name: 'semantic_rank', kind: 'long' },
  { name: 'semantic_score', kind: 'double' },
];

const asked = (option: unknown, column: OutputColumn): OutputColumn[] =>
  option === undefined ? [] : [column];

function hitRow(hit: Hit): OutputRow {
  const row = Object.entries(hit.row ?? {}).map(([name, value]) => [`row_${name}`, value]);
  return {
    ...hit.fields,
    ...keyCells(hit.coordinates),
    score: hit.score,
    lexical_rank: hit.arms?.lexical?.rank,
    lexical_score: hit.arms?.lexical?.score,
    semantic_rank: hit.arms?.semantic?.rank,
    semantic_score: hit.arms?.semantic?.score,
    collapse_value: hit.collapse?.value,
    collapse_count: hit.collapse?.count,
    sort: hit.sort,
    highlight: hit.highlight,
    row_newer: hit.row_newer,
    hydrate_error: hit.hydrate_error,
    ...Object.fromEntries(row),
  };
}

/** Refuses fields called `score` or `sort`: their columns would clash with those of the hit. */
function refuseTwice(columns: readonly OutputColumn[]): void {
  const names = columns.map((column) => column.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return;
  throw new LhsError('invalid_argument', `field "${twice}" has the name of a column of every hit`, {
    hint: 'leave it out with --fields, or use --format ndjson or json',
  });
}

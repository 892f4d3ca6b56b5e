import type { JsonObject } from '@lakehouse-search/contract';
import { plainName, shown, valueLines } from '../../base/data-text.ts';
import { readableKey } from '../../base/key-text.ts';
import { tokensOf } from '../../base/tokens.ts';
import type { HitView } from './hit-view.ts';
import { sharedEnds, withoutMidnight } from './shared-ends.ts';

/** What a text shows of hits besides their values. */
export interface HitTextOptions {
  readonly withScores: boolean;
  /** The citation of the page has a place for a hash. */
  readonly withHashes: boolean;
  /** The key of a hit, or the start of it that no other row has. */
  readonly keyOf: (view: HitView) => string;
}

/** A table must be shorter than lines by this share, as it is harder to read. */
const SHORTER = 0.8;
/** Hits from which on a value that all of them have is said once. */
const SEVERAL = 3;

/** Hits as lines, or as a table if it must be one or is much shorter. */
export function hitText(
  hits: readonly HitView[],
  isTable: boolean,
  options: HitTextOptions,
): readonly string[] {
  const { same, cells } = withoutSame(hits.map((view) => cellsOf(view, options)));
  const [lines, table] = [hitLines(cells), tableLines(cells)];
  const tokens = (all: readonly string[]) => tokensOf(all.join('\n'));
  const isShort = tokens(table) < SHORTER * tokens(lines);
  const inAll = valueLines(same).map((line) => `in every hit, ${line}`);
  return [...inAll, ...(isTable || isShort ? table : lines)];
}

/** What is shown of a hit. */
interface HitCells {
  readonly key: string;
  readonly head: JsonObject;
  readonly values: JsonObject;
}

function cellsOf(view: HitView, { withScores, withHashes, keyOf }: HitTextOptions): HitCells {
  const { index, key, score, hash, sort, fields, row, highlight = {}, cut: _, ...flags } = view;
  const marks = Object.entries(highlight).map(([name, text]) => [`match in ${name}`, text]);
  const values = Object.entries({ ...sort, ...(row ?? fields) }).filter(
    ([name, value]) => !readableKey(key).split(',').includes(`${name}=${value}`),
  );
  return {
    key: keyOf(view),
    head: {
      ...(index === undefined ? {} : { index }),
      ...(score === undefined || !withScores ? {} : { score }),
      ...(hash === undefined || !withHashes ? {} : { hash: `#${hash}` }),
    },
    values: { ...Object.fromEntries([...values, ...marks]), ...(flags as JsonObject) },
  };
}

/** Takes the values that all of several hits have from each of them. */
function withoutSame(all: readonly HitCells[]) {
  const cells = withoutMidnight(all);
  const [first, ...others] = cells;
  const isSame = ([name, value]: [string, unknown]) =>
    others.every(({ values }) => JSON.stringify(values[name]) === JSON.stringify(value));
  const same =
    all.length < SEVERAL ? {} : Object.fromEntries(Object.entries(first.values).filter(isSame));
  const left = cells.map((hit): HitCells => {
    const own = Object.entries(hit.values).filter(([name]) => !Object.hasOwn(same, name));
    return { ...hit, values: Object.fromEntries(own) };
  });
  return { same, cells: left };
}

/** One line per hit with its key, then its values, one per line. */
const hitLines = (hits: readonly HitCells[]): readonly string[] =>
  hits.flatMap(({ key, head: { index, ...head }, values }) => [
    [...(index === undefined ? [] : [index]), key, ...Object.values(head)].join(' '),
    ...valueLines(values),
  ]);

/** A header, and a line per hit with tabs between its cells. */
function tableLines(hits: readonly HitCells[]): readonly string[] {
  const name = keyColumn(hits);
  const rows = hits.map(({ key, head: { index, ...head }, values }): JsonObject => {
    const own: JsonObject = name === undefined ? { key } : { [name]: key.slice(name.length + 1) };
    return { ...(index === undefined ? {} : { index }), ...own, ...head, ...values };
  });
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((column) => {
    const values = rows.map((row) => row[column]);
    return { column, ...sharedEnds(values, column === (name ?? 'key')) };
  });
  const header = columns.map(({ column, start, end }) => {
    const ends = start + end === '' ? '' : ` (${start === '' ? '' : shown(start)}…${end})`;
    return plainName(column) + ends;
  });
  const cells = rows.map((row) =>
    columns.map(({ column, start, end }) => {
      const value = row[column] ?? '';
      if (start + end === '') return value === '' ? '' : shown(value);
      return `${value}`.slice(start.length, `${value}`.length - end.length);
    }),
  );
  return [header, ...cells].map((line) => line.join('\t'));
}

/** The only column of the keys of all hits, which no value is named after. */
function keyColumn(hits: readonly HitCells[]): string | undefined {
  const names = new Set(hits.map(({ key }) => /^([^=,]+)=[^,]*$/.exec(key)?.[1]));
  const [name] = names;
  const isFree = names.size === 1 && hits.every(({ values }) => !Object.hasOwn(values, name ?? ''));
  return isFree ? name : undefined;
}

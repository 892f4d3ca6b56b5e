import type {
  GenerationDescription,
  ShardDescription,
  WindowList,
} from '@lakehouse-search/contract';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { bytes, count, dateTime, snapshotName } from '../text/figures.ts';

/** What shards, windows and generations have in common. */
interface Part {
  readonly num_docs: number;
  readonly bytes: number;
}

const SIZES: readonly Column<Part>[] = [
  { head: 'Documents', isFigure: true, cell: ({ num_docs }) => count(num_docs) },
  { head: 'Size', isFigure: true, cell: (part) => bytes(part.bytes) },
];

const snapshot = {
  head: 'Snapshot',
  cell: (part: { readonly snapshot: string | null }) =>
    part.snapshot === null ? 'empty table' : snapshotName(part.snapshot),
};

/** The shards of an index. */
export function Shards({ shards }: { readonly shards: readonly ShardDescription[] }) {
  const columns: readonly Column<ShardDescription>[] = [
    { head: 'Shard', cell: ({ shard }) => count(shard) },
    ...SIZES,
    { head: 'Deleted', isFigure: true, cell: ({ deleted_docs }) => count(deleted_docs) },
    { head: 'Segments', isFigure: true, cell: ({ segments }) => count(segments) },
    snapshot,
  ];
  return (
    <>
      <h2>Shards</h2>
      <DataTable
        caption="Shards"
        rows={shards}
        columns={columns}
        keyOf={({ shard }) => String(shard)}
        empty="No shards."
      />
    </>
  );
}

/** The live generation and the kept ones. */
export function Generations({
  generations,
}: {
  readonly generations: readonly GenerationDescription[];
}) {
  const columns: readonly Column<GenerationDescription>[] = [
    { head: 'Generation', cell: ({ generation }) => count(generation) },
    { head: 'State', cell: ({ state }) => <StateWord state={state} /> },
    ...SIZES,
    { head: 'Definition', cell: ({ definition_version }) => `version ${definition_version}` },
    snapshot,
    { head: 'Until', cell: ({ until }) => (until === undefined ? '' : dateTime(until)) },
  ];
  return (
    <>
      <h2>Generations</h2>
      <DataTable
        caption="Generations"
        rows={generations}
        columns={columns}
        keyOf={({ generation }) => String(generation)}
        empty="No generations."
      />
    </>
  );
}

/** The windows of an index that is cut by time. */
export function Windows({ list }: { readonly list: WindowList }) {
  return (
    <>
      <h2>
        Windows: one per {list.every}, by <code>{list.field}</code>
      </h2>
      <DataTable
        caption="Windows"
        rows={list.windows}
        keyOf={({ window }) => window}
        empty="No windows."
        columns={[
          { head: 'Window', cell: ({ window }) => window },
          { head: 'Tier', cell: ({ tier }) => tier },
          ...SIZES,
          { head: 'Segments', isFigure: true, cell: ({ segments }) => count(segments) },
        ]}
      />
    </>
  );
}

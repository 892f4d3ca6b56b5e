import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { describe, expect, it } from 'vitest';
import { faultsOf } from './missing-shards.ts';

const definition = (settings: string) =>
  registeredDefinition(`version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /lake }, table: ops.notes }
storage: s3://bucket/prefix
${settings}
fields:
  - { name: title, type: TEXT }
`);

/** A route whose shards are on so many nodes. */
const routeOver = (...counts: readonly number[]) => ({
  ...{ index: 'notes', generation: 1, shards: counts.length, definition: 'd', snapshot: '1' },
  replicas: counts.map((count) =>
    Array.from({ length: count }, (_, i) => ({ node: `n${i}`, address: `n${i}:1`, commit: 'c' })),
  ),
});

describe('what an index says of its shards', () => {
  it.each([
    ['replicas: 2', [3, 3], {}],
    ['replicas: 2', [3, 2, 1], { lacking_copies: [1, 2] }],
    ['replicas: 1', [0, 1, 2], { missing_shards: [0], lacking_copies: [1] }],
    ['replicas: 0', [1, 1], {}],
    ['', [1, 0], { missing_shards: [1] }],
  ])('names those on no node, and those on fewer than %s requires', (settings, counts, shown) => {
    expect(faultsOf(routeOver(...counts), definition(settings))).toEqual(shown);
  });

  it('is nothing before it is built', () => {
    expect(faultsOf(undefined, definition('replicas: 2'))).toEqual({});
  });
});

import type { IndexStatus } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../terminal/style.ts';
import { statusLines } from './status-lines.ts';

const BEHIND: IndexStatus = {
  ...{ index: 'notes', status: 'live', index_generation: 1, num_docs: 1, deleted_docs: 0 },
  ...{ segments: 1, bytes: 1, pending_merges: 0, checkpoint: null },
  lag: { snapshots: 1, rows: null, seconds: 1 },
};
const lines = (status: Partial<IndexStatus>) =>
  statusLines({ ...BEHIND, ...status }, styleFor({ color: false }), 100);

describe('the status of an index whose nodes are away', () => {
  it('has no figures', () => {
    const away = { index_generation: 0, num_docs: 0, missing_shards: [0, 1] };
    expect(lines(away)[0]).toMatch(/^notes +live, on no node that answers$/);
  });

  it('says what brings more copies', () => {
    const lacking = [1, 1, 2].map((nodes, shard) => ({ shard, nodes, required: 3 }));
    expect(lines({ lacking_copies: lacking }).join(' ').replace(/ +/g, ' ')).toContain(
      'shards 0, 1 are on 1 of 3 nodes; shard 2 is on 2 of 3 nodes: start nodes',
    );
  });
});

describe('the status of an index that is behind its table', () => {
  it('names the sync, unless a control plane syncs it', () => {
    expect(lines({})).toContainEqual(expect.stringMatching(/^next +lhs index sync notes$/));
    const led = lines({ synced_by: 'control_plane' });
    expect(led).toContainEqual(expect.stringMatching(/^sync +by the control plane$/));
    expect(led.join()).not.toContain('lhs');
    const failure = { code: 'source_unreachable', message: 'sync: away', since: '2026-01-01' };
    const sync_failure = failure as NonNullable<IndexStatus['sync_failure']>;
    expect(lines({ synced_by: 'control_plane', sync_failure }).join()).toContain('sync: away');
  });

  it('says what publishes it', () => {
    const published = {
      place: 'homes/notes',
      commit: null,
      snapshot: null,
      pending: true,
    } as const;
    const by = (status: Partial<IndexStatus>) =>
      lines({ published, ...status }).find((line) => line.startsWith('published'));
    expect(by({})).toMatch(/by lhs index sync notes$/);
    expect(by({ synced_by: 'control_plane' })).toMatch(/by the next commit$/);
  });

  it('names the build before the first one', () => {
    expect(lines({ status: 'created' })).toContainEqual(
      expect.stringMatching(/^next +lhs index reindex notes$/),
    );
  });
});

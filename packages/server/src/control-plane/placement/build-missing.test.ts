import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { ClusterContext } from '../cluster-context.ts';
import { buildMissing } from './build-missing.ts';
import type { LivingNode } from './route-over.ts';

const own = { index: 'notes', uuid: 'u', shards: 3, definition_version: 1, epoch: 0, aliases: [] };
const node: LivingNode = {
  node: 'n1',
  address: 'n1:1',
  followed: [],
  indexes: [{ ...own, ordinals: [0, 2], copies: 0, commits: [] }],
};

describe('a build of shards without data', () => {
  it('notes which node builds which shards, and how far it is', async () => {
    const ended: unknown[] = [];
    const client = {
      async *build() {
        yield { progress: { phase: 'reading', docs_done: 42, docs_total: 100 } };
        yield { staged: { generation: 1, docs: 100, snapshot: '7' } };
      },
      endBuild: async (...call: unknown[]) => void ended.push(call.slice(0, 3)),
    };
    const route = { index: 'notes', shards: 3, snapshot: '7', definition: 'd', replicas: [] };
    const context = {
      store: { jobs: { list: async () => [] }, routes: { get: async () => route } },
      nodes: { at: () => client },
      logger: pino({ level: 'silent' }),
    } as unknown as ClusterContext;
    const notes: string[] = [];
    const note = async (message: string) => void notes.push(message);
    const { signal } = new AbortController();
    await buildMissing(context, 'notes', [node], { signal, note });
    expect(notes).toEqual([
      'node "n1" has no data of shards 0, 2 and builds from the table (42 %)',
    ]);
    expect(ended).toEqual([['notes', 1, true]]);
  });
});

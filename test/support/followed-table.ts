import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FollowEvent } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { schemaOf } from './schema.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const DEFINITION = `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: id, type: LONG, cached: true }
`;

/** A clock that nobody waits for: a sleep ends in the next turn, that much later. */
export class FastClock {
  #now = Date.UTC(2025, 10, 21, 10, 41);
  /** All pauses, in order. */
  readonly slept: number[] = [];
  now = (): number => this.#now;
  ticks = this.now;
  random = (): number => 0;
  sleep = async (ms: number): Promise<void> => {
    this.slept.push(ms);
    await setImmediate();
    this.#now += ms;
  };
}

/** A table of notes in a folder of its own, an index over it, and what `follow` says of them. */
export class FollowedTable {
  readonly folder = mkdtempSync(join(tmpdir(), 'lhs-follow-'));
  readonly clock = new FastClock();
  readonly config = {
    catalog: { type: 'filesystem' as const, warehouse: join(this.folder, 'lake') },
    table: 'ops.notes',
  };
  backend!: LocalEngine;

  async open(more = ''): Promise<this> {
    await createTable(this.config.catalog, 'ops.notes', { schema, formatVersion: 2 });
    await this.append(1, 2, 3);
    this.backend = await openEngine(this.folder, { create: true, threads: 0, clock: this.clock });
    await this.backend.createIndex({ definition: DEFINITION + more, base_dir: this.folder });
    await this.backend.reindex({});
    return this;
  }

  append(...ids: number[]) {
    const rows = ids.map((id) => ({ id, title: `note ${id}` }));
    return appendRows(this.config, { kind: 'rows', rows });
  }

  /** Ids of all documents. */
  async ids(): Promise<number[]> {
    const ids: number[] = [];
    for await (const { fields } of this.backend.exportDocuments({})) ids.push(Number(fields.id));
    return ids.sort((a, b) => a - b);
  }

  get indexFolder(): string {
    const folder = join(this.folder, 'indexes');
    return join(folder, readdirSync(folder)[0]);
  }

  /** Files of the live generation that no commit names, and locks and drafts beside it. */
  leftovers(): string[] {
    const generation = readFileSync(join(this.indexFolder, 'CURRENT'), 'utf8').trim();
    const commit = readFileSync(join(this.indexFolder, generation, 'commit'), 'utf8');
    const known = ['commit', 'verified'];
    const unnamed = readdirSync(join(this.indexFolder, generation)).filter(
      (name) => !known.includes(name) && !commit.includes(`"${name}"`),
    );
    const beside = readdirSync(this.indexFolder).filter(
      (name) => name !== 'CURRENT' && name !== generation,
    );
    return [...unnamed, ...beside];
  }

  async dispose(): Promise<void> {
    await this.backend.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The next event that is none of `passed`; each call asks for events until one comes. */
export async function next<K extends FollowEvent['event']>(
  events: AsyncIterator<FollowEvent>,
  kind: K,
  passed: readonly FollowEvent['event'][] = [],
): Promise<Extract<FollowEvent, { event: K }>> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the following ended before "${kind}"`);
    if (value.event === kind) return value as Extract<FollowEvent, { event: K }>;
    if (!passed.includes(value.event))
      throw new Error(`"${kind}" wanted: ${JSON.stringify(value)}`);
  }
}

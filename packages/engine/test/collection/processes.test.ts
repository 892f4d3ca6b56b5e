// @module-tag campaign
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openCollection } from '@lakehouse-search/engine/collection';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { COUNTERS } from './columns.ts';

const script = fileURLToPath(new URL('./child.ts', import.meta.url));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-collection-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openCounters = () => openCollection(folder, 'counters', COUNTERS);

/** Runs a process that upserts numbers; killed after so many of them are acknowledged. */
async function run(who: string, from: number, to: number, killAfter = Infinity) {
  const args = [script, folder, who, String(from), String(to)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: string[] = [];
  child.stderr.on('data', (part) => errors.push(String(part)));
  const done: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    done.push(Number(line));
    if (done.length === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { done, signal: child.signalCode, code: child.exitCode, errors: errors.join('') };
}

describe('processes of a collection', () => {
  it('has each acknowledged row after its process is killed', async () => {
    const below = seededBelow(seedOfDay());
    const acknowledged = new Set<number>();
    let next = 0;
    for (let round = 0; round < byEffort(3, 12, 200); round++) {
      const { done, signal, errors } = await run('a', next, next + 10_000, 1 + below(20));
      expect({ signal, errors }).toMatchObject({ signal: 'SIGKILL' });
      for (const n of done) acknowledged.add(n);
      next = Math.max(...done) + 8;
    }
    await using counters = await openCounters();
    const { hits, total } = await counters.search({ query: 'who:a', limit: 10_000 });
    const found = new Map(hits.map(({ key, row }) => [key, row]));
    expect(total).toBe(found.size);
    for (const n of acknowledged) {
      expect(found.get(`a${n}`)).toEqual({ id: `a${n}`, n, who: 'a' });
      expect(await counters.get(`a${n}`)).toEqual({ id: `a${n}`, n, who: 'a' });
      expect(found.get(`shared${n % 10}`)?.n).toBeGreaterThanOrEqual(n);
    }
    const verified = await counters.backend.indexes.verify({ index: 'counters' });
    expect(verified).toMatchObject({ equal: true });
  });

  it('takes the rows of two processes that write it at once', async () => {
    const rows = byEffort(24, 200);
    const both = await Promise.all([run('a', 0, rows), run('b', 0, rows)]);
    for (const { done, code, errors } of both) {
      expect({ code, errors: errors.replaceAll(/^.*Warning.*$/gm, '').trim() }).toEqual({
        code: 0,
        errors: '',
      });
      expect(done).toHaveLength(rows);
    }
    await using counters = await openCounters();
    const { hits, total } = await counters.search({ query: '*', limit: 10_000 });
    expect(total).toBe(2 * rows + 10);
    const found = new Map(hits.map(({ key, row }) => [key, row]));
    for (const who of ['a', 'b']) {
      for (let n = 0; n < rows; n++) {
        expect(found.get(`${who}${n}`)).toEqual({ id: `${who}${n}`, n, who });
      }
    }
    const verified = await counters.backend.indexes.verify({ index: 'counters' });
    expect(verified).toMatchObject({ equal: true });
  });
});

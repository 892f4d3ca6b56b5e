import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from './registry.ts';
import { RegistryFile } from './registry-file.ts';
import { SavedQueries } from './saved-queries.ts';

let folder = '';
let registry: Registry;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-queries-'));
  registry = new Registry(folder);
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const draft = (name: string, query = 'timeout') => ({ name, request: { index: 'i', query } });

describe('saved queries', () => {
  it('are saved, replaced and dropped by name', () => {
    const { queries } = registry;
    const slow = queries.create('', { ...draft('slow'), description: 'what waits' });
    expect(slow.created_at).toMatch(/^20.*Z$/);
    const other = queries.create('', draft('errors'));
    expect(queries.list('')).toEqual([other, slow]);
    expect(() => queries.create('', draft('slow'))).toThrow('a query "slow" is saved already');
    expect(() => queries.replace('', slow.id, draft('errors'))).toThrow('is saved already');
    const replaced = queries.replace('', slow.id, draft('slower', 'wait'));
    expect(replaced).toEqual({
      ...{ id: slow.id, name: 'slower', request: { index: 'i', query: 'wait' } },
      ...{ created_at: slow.created_at, updated_at: replaced.updated_at },
    });
    expect(queries.list('')).toEqual([other, replaced]);
    queries.delete('', slow.id);
    expect(() => queries.delete('', slow.id)).toThrow('there is no saved query');
    expect(queries.list('')).toEqual([other]);
  });

  it('are visible to their owner only', () => {
    const { queries } = registry;
    const mine = queries.create('ada', draft('slow'));
    queries.create('bo', draft('slow'));
    expect(queries.list('ada')).toEqual([mine]);
    expect(() => queries.delete('bo', mine.id)).toThrow('there is no saved query');
    expect(() => queries.replace('bo', mine.id, draft('x'))).toThrow('there is no saved query');
    expect(queries.list('ada')).toEqual([mine]);
  });

  it('are limited in number per owner', () => {
    const file = new RegistryFile(folder);
    const queries = new SavedQueries(file, 3);
    for (let i = 0; i < 3; i++) queries.create('', draft(`q${i}`));
    expect(() => queries.create('', draft('more'))).toThrow('queries are saved already');
    expect(queries.create('ada', draft('more')).name).toBe('more');
    file.close();
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, lines, TABLES } from './child.ts';

/** What is kept beside the indexes, by the command: points in time, aliases, saved queries. */
const home = new Home();
const VECTORS = join(TABLES, 'own_vectors');
afterAll(() => home.dispose());

interface Answer {
  readonly total: number;
  readonly hits: readonly { readonly sort?: unknown[] }[];
}

beforeAll(async () => {
  const { stdout } = await home.run(['index', 'init', '--path', VECTORS, '--name', 'vec']);
  writeFileSync(home.path('vec.yaml'), stdout);
  await home.json(['index', 'create', '-f', home.path('vec.yaml')]);
  await home.json(['index', 'reindex', 'vec']);
});

describe('index pit', () => {
  it('opens, answers, closes; each in a process of its own', async () => {
    const opened = await home.run(['index', 'pit', 'open', 'vec', '--keep-alive', '10m']);
    const [pit] = lines(opened.stdout);
    expect(pit).toMatch(/^[\w-]{44}$/);
    expect(opened.stderr).toMatch(/^open until 20\S+Z; each search with --pit moves that on\n$/);
    const first = await home.json<Answer>(['search', 'vec', '--pit', pit, '--limit', '20']);
    const after = JSON.stringify(first.hits.at(-1)!.sort);
    const page = ['search', 'vec', '--pit', pit, '--after', after];
    const [rest, shown] = await Promise.all([home.json<Answer>(page), home.run(page)]);
    expect([first.total, rest.total, rest.hits.length]).toEqual([27, 27, 7]);
    expect(lines(shown.stdout)[0]).toMatch(/^27 hits in vec · .* · at a point in time \(/);
    const closed = await home.run(['index', 'pit', 'close', 'vec', pit]);
    expect(closed).toMatchObject({ code: 0, stdout: 'closed\n' });
    const gone = await home.run(['search', 'vec', '--pit', pit]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toMatch(/it was closed, has expired or is of another index/);
    const again = await home.json(['index', 'pit', 'close', 'vec', pit]);
    expect(again).toEqual({ closed: false });
  });
});

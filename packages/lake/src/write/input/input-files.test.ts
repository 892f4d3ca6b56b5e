import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { asNobody } from '../../../../../test/support/as-nobody.ts';
import { checkedFiles } from './input-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-inputs-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('input that this user may not read', () => {
  it.each(['a.csv', 'a.csv.gz', 'a.log', 'a.parquet', 'a.xlsx', 'inner'])(
    'is refused by its name: %s',
    async (name) => {
      const path = join(folder, name);
      if (name === 'inner') mkdirSync(path);
      else writeFileSync(path, 'a\n1\n');
      chmodSync(path, 0);
      await expect(asNobody(() => checkedFiles([path]))).rejects.toMatchObject({
        code: 'permission_denied',
        message: `file "${path}" could not be read (EACCES)`,
      });
    },
  );
});

describe('input of several kinds', () => {
  it('is refused with patterns of one kind', async () => {
    const mixed = join(folder, 'mixed');
    mkdirSync(mixed);
    const put = (...names: readonly string[]) => {
      for (const name of names) writeFileSync(join(mixed, name), 'a\n1\n');
    };
    const patterns = ['*.csv.gz', '*.ndjson'].map((pattern) => join(mixed, pattern));
    const refused = expect.objectContaining({ option: 'kind', patterns });
    put('b.csv.gz', 'c.csv.gz', 'd.ndjson', '_SUCCESS');
    const below = `./${relative(process.cwd(), mixed)}`;
    await expect(checkedFiles([below])).rejects.toMatchObject({
      message: expect.stringMatching(/b\.csv\.gz" and .*d\.ndjson" are of different kinds/),
    });
    await expect(checkedFiles([mixed])).rejects.toMatchObject({ details: refused });
    put('a.yaml');
    await expect(checkedFiles([mixed])).rejects.toMatchObject({
      message: expect.stringContaining('".yaml" is not a known ending'),
      details: refused,
    });
  });
});

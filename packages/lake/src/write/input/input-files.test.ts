import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openLocalFile } from '../base/files/random-access-file.ts';
import { readFooter } from '../parquet/footer.ts';
import { checkPages } from './check-pages.ts';

const DATA = fileURLToPath(
  new URL('../../../../../shared/iceberg/codecs_mixed/data/', import.meta.url),
);

async function check(path: string): Promise<void> {
  const place = { path, role: 'data' } as const;
  const file = await openLocalFile(path);
  const footer = await readFooter(file, place).finally(() => file.close());
  await checkPages({ place, open: () => openLocalFile(path) }, footer, footer.schema.leaves);
}

describe.skipIf(!existsSync(DATA))('the pages of a file', () => {
  const files = existsSync(DATA)
    ? readdirSync(DATA).filter((name) => name.endsWith('.parquet') && !name.includes('delete'))
    : [];

  it('are sound in every codec', async () => {
    expect(files.length).toBeGreaterThan(20);
    for (const name of files) await check(DATA + name);
  });

  it('are found out when one bit of any page is flipped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lake-pages-'));
    const bytes = readFileSync(DATA + files[0]);
    const file = await openLocalFile(DATA + files[0]);
    const place = { path: file.path, role: 'data' } as const;
    const footer = await readFooter(file, place).finally(() => file.close());
    const broken = join(folder, 'broken.parquet');
    for (const group of footer.rowGroups) {
      for (const chunk of group.chunks) {
        const copy = Buffer.from(bytes);
        copy[chunk.start + chunk.length - 1] ^= 0x10;
        writeFileSync(broken, copy);
        await expect(check(broken)).rejects.toMatchObject({
          reason: 'data_file_invalid',
          file: broken,
          message: expect.stringMatching(/checksum/),
        });
      }
    }
    rmSync(folder, { recursive: true });
  });
});

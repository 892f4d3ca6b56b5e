import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder, writeNewFile } from './new-files.ts';

const home = mkdtempSync(join(tmpdir(), 'lhs-new-files-'));
const at = (name: string) => join(home, name);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('makeFolder', () => {
  it('makes what is missing, also when many do so at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(at('a/b/c/d'))));
    expect(existsSync(at('a/b/c/d'))).toBe(true);
    await makeFolder(at('a/b/c/d'));
    symlinkSync(at('a'), at('link'));
    await makeFolder(at('link/b/e'));
    expect(existsSync(at('a/b/e'))).toBe(true);
  });

  it('ends with an error where no folder can be made', async () => {
    writeFileSync(at('file'), '');
    symlinkSync(at('nowhere'), at('dangling'));
    for (const folder of ['/proc/lhs/lake', at('file'), at('file/below'), at('dangling/below')]) {
      await expect(makeFolder(folder)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(`"${folder}" cannot be written`),
      });
    }
  });
});

describe('writeNewFile', () => {
  it('writes a file once, and refuses a second time by name', async () => {
    await writeNewFile(at('once'), Buffer.from('x'));
    await expect(writeNewFile(at('once'), Buffer.from('y'))).rejects.toMatchObject({
      code: 'invalid_argument',
      file: at('once'),
    });
  });
});

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLocalFile } from './local-file.ts';
import { openLocalFile } from './random-access-file.ts';
import { openRegularFile, readAtMost } from './regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-regular-'));
const at = (name: string) => join(folder, name);
let server: Server;
beforeAll(async () => {
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('zero'));
  symlinkSync(folder, at('folder'));
  server = createServer();
  await new Promise<void>((done) => server.listen(at('socket'), done));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a path that names no regular file', () => {
  it.each(['pipe', 'zero', 'folder', 'socket'])('is refused by name: %s', async (name) => {
    const named = expect.stringContaining(`"${at(name)}"`);
    await expect(readLocalFile(at(name), 'manifest_invalid', 100)).rejects.toMatchObject({
      reason: 'manifest_invalid',
      message: named,
    });
    await expect(openLocalFile(at(name), 'delete')).rejects.toMatchObject({
      reason: expect.stringMatching(/^delete_file_/),
      message: named,
    });
  });
});

describe('the bytes of a regular file', () => {
  it('are all read, up to the limit', async () => {
    writeFileSync(at('ten'), '0123456789');
    writeFileSync(at('none'), '');
    expect(String(await readLocalFile(at('ten'), 'manifest_invalid', 10))).toBe('0123456789');
    expect(await readLocalFile(at('none'), 'manifest_invalid', 10)).toHaveLength(0);
    await expect(readLocalFile(at('ten'), 'manifest_invalid', 9)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining(at('ten')),
    });
  });

  it('are bounded while the file grows, and whole if it stays within the limit', async () => {
    writeFileSync(at('grows'), 'ab');
    const file = await openRegularFile(at('grows'));
    await using _ = file.handle;
    appendFileSync(at('grows'), 'x'.repeat(200_000));
    expect(await readAtMost(file, 200_001)).toBeNull();
    expect(await readAtMost(file, 200_002)).toHaveLength(200_002);
    expect(await readAtMost(file, 1)).toBeNull();
  });

  it('are read from files whose size is unknown', async () => {
    const text = String(await readLocalFile('/proc/self/status', 'manifest_invalid', 1 << 20));
    expect(text).toContain('Pid:');
    await expect(readLocalFile('/proc/self/status', 'manifest_invalid', 20)).rejects.toHaveProperty(
      'code',
      'limit_exceeded',
    );
  });
});

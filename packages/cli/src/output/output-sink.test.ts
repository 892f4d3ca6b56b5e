import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processMark } from '../../../lake/src/internal.ts';
import { withSink } from './output-sink.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-sink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an output file', () => {
  it('stands under its name when it is whole, and not before', async () => {
    const file = join(folder, 'rows.csv');
    await withSink(file, async (sink) => {
      await sink('a\n');
      expect(readdirSync(folder)).toEqual([`rows.csv.part-${processMark()}`]);
      await sink(Buffer.from('b\n'));
    });
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
  });

  it('stays as it was when writing fails', async () => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'before');
    const failure = new Error('no more rows');
    const writing = withSink(file, async (sink) => {
      await sink('half');
      throw failure;
    });
    await expect(writing).rejects.toBe(failure);
    expect(readdirSync(folder)).toEqual(['rows.csv']);
    expect(readFileSync(file, 'utf8')).toBe('before');
  });

  it('removes what a killed process left of it, and nothing of one that may run', async () => {
    const { pid } = spawnSync('true');
    const ended = processMark().replace(/-\d+-\d+$/, `-${pid}-0`);
    // a process of another host counts as running
    const others = ['rows.csv.part-00000000-0-1-1', `other.csv.part-${ended}`];
    for (const name of [`rows.csv.part-${ended}`, ...others]) writeFileSync(join(folder, name), '');
    await withSink(join(folder, 'rows.csv'), (sink) => sink('a'));
    expect(readdirSync(folder).sort()).toEqual(['rows.csv', ...others].sort());
  });

  it('behind a link is replaced, and the link stays', async () => {
    const [file, link] = [join(folder, 'rows.csv'), join(folder, 'latest.csv')];
    writeFileSync(file, 'before');
    symlinkSync(file, link);
    await withSink(link, (sink) => sink('after'));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(readdirSync(folder).sort()).toEqual(['latest.csv', 'rows.csv']);
  });

  it('that is a pipe is written to, not replaced', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe]);
    const read = text(reader.stdout);
    await withSink(pipe, (sink) => sink('through'));
    expect(await read).toBe('through');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it.each(['', 'missing/rows.csv'])(
    'that cannot be made ("%s") is refused by name',
    async (name) => {
      const file = join(folder, name);
      await expect(withSink(file, (sink) => sink('x'))).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(`cannot write "${file}"`),
      });
    },
  );
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lineWriter } from './line-writer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function collecting() {
  const written: string[] = [];
  const flushed: number[] = [];
  const sink = {
    write: (text: string) => void written.push(text),
    flushSync: () => void flushed.push(written.length),
  };
  return { writer: lineWriter(sink), written, flushed };
}

describe('a writer of lines', () => {
  it('writes the lines of a moment at once, in their order', () => {
    const { writer, written } = collecting();
    for (const line of ['a\n', 'b\n', 'c\n']) writer.write(line);
    expect(written).toEqual([]);
    vi.runAllTimers();
    expect(written).toEqual(['a\nb\nc\n']);
    writer.write('d\n');
    vi.runAllTimers();
    expect(written).toEqual(['a\nb\nc\n', 'd\n']);
  });

  it('does not let many lines wait', () => {
    const { writer, written } = collecting();
    for (let i = 0; i < 3; i++) writer.write(`${'x'.repeat(8191)}\n`);
    expect(written.map((text) => text.length)).toEqual([16_384]);
    vi.runAllTimers();
    expect(written.map((text) => text.length)).toEqual([16_384, 8192]);
  });

  it('makes lines when they are due, in their order', () => {
    const { writer, written } = collecting();
    let made = 0;
    const later = (line: string) =>
      writer.later(() => {
        made++;
        writer.write(line);
      });
    later('a\n');
    later('b\n');
    expect(made).toBe(0);
    writer.write('c\n');
    later('d\n');
    expect(made).toBe(2);
    vi.runAllTimers();
    expect(written).toEqual(['a\nb\nc\nd\n']);
    later('e\n');
    writer.flush();
    expect(written).toEqual(['a\nb\nc\nd\n', 'e\n']);
    for (let i = 0; i < 100; i++) later('f\n');
    expect(made).toBe(4 + 64);
    vi.runAllTimers();
    expect(written.slice(2).join('')).toBe('f\n'.repeat(100));
  });

  it('hands over what waits when it is asked, and nothing twice', () => {
    const { writer, written } = collecting();
    writer.flush();
    writer.write('a\n');
    writer.flush();
    writer.flush();
    vi.runAllTimers();
    expect(written).toEqual(['a\n']);
  });

  it('writes what waits before the process exits, and listens no longer than that', () => {
    const { writer, written, flushed } = collecting();
    const before = process.listeners('exit');
    writer.write('a\n');
    const own = process.listeners('exit').filter((listener) => !before.includes(listener));
    expect(own).toHaveLength(1);
    own[0](0);
    expect(written).toEqual(['a\n']);
    expect(flushed).toEqual([1]);
    expect(process.listeners('exit')).toEqual(before);
  });
});

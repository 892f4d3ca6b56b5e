import { describe, expect, it } from 'vitest';
import { KeptRequests } from './kept-requests.ts';

const request = (text: string) => ({ request: { index: text }, text });

describe('kept requests', () => {
  it('are found by their bodies', () => {
    const kept = new KeptRequests();
    const first = request('a');
    kept.add('a', first);
    kept.add('a', request('b'));
    expect(kept.get('a')).toBe(first);
    expect(kept.get('b')).toBeUndefined();
  });

  it('have short bodies, and together at most a million characters', () => {
    const kept = new KeptRequests();
    kept.add('x'.repeat(4097), request('long'));
    expect(kept.get('x'.repeat(4097))).toBeUndefined();
    const body = (at: number) => String(at).padEnd(4096, '.');
    for (let at = 0; at < 300; at++) kept.add(body(at), request(''));
    const found = Array.from({ length: 300 }, (_, at) => kept.get(body(at)) !== undefined);
    expect(found.filter(Boolean)).toHaveLength(256);
    expect(found[43]).toBe(false);
    expect(found[44]).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { spanOf, traceparentOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('the span of a call', () => {
  it('is a child of the span that the header names', () => {
    const span = spanOf(`00-${TRACE}-${PARENT}-01`);
    expect(span).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: 1 });
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(traceparentOf(span)).toBe(`00-${TRACE}-${span.spanId}-01`);
  });

  it('reads headers of later versions, and unknown flags as not set', () => {
    const later = spanOf(`01-${TRACE}-${PARENT}-03-more`);
    expect(later).toMatchObject({ traceId: TRACE, flags: 1 });
    expect(spanOf(`00-${TRACE}-${PARENT}-fe`).flags).toBe(0);
  });

  it.each([
    ['no header', undefined],
    ['two headers', [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`]],
    ['an empty header', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a part too many', `00-${TRACE}-${PARENT}-01-more`],
    ['a short trace', `00-${TRACE.slice(2)}-${PARENT}-01`],
    ['a line break', `00-${TRACE}-${PARENT}-01\n`],
  ])('begins a new trace for %s', (_, header) => {
    const [one, other] = [spanOf(header), spanOf(header)];
    expect(one.parentId).toBeUndefined();
    expect(one.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(one.traceId).not.toBe(other.traceId);
    expect(one.traceId).not.toBe(TRACE);
  });
});

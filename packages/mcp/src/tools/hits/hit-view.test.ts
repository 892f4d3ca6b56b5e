import type { Hit, IndexDescription } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { viewOf } from './hit-view.ts';

const index = { index: 't', fields: [] } as Partial<IndexDescription> as IndexDescription;
const mark = (text: string) => [[{ text, marked: true }]];
const AT = '2025-01-31T10:00:00.000000Z';
const hit: Hit = {
  key: '7',
  coordinates: { identifier: [{ name: 'id', value: '7' }] },
  score: 1.23456,
  fields: { title: 'red', size: 5 },
  sort: [AT],
  highlight: { title: mark('red'), size: mark('5'), at: mark(AT), seen: mark(AT), body: mark('x') },
};

describe('a hit as a model sees it', () => {
  it('has no highlight that is the whole of a value that it shows', () => {
    expect(viewOf(hit, { index, sortFields: [], named: [] })).toEqual({
      ...{ key: 'id=7', score: 1.235, fields: { title: 'red', size: 5 } },
      highlight: { at: '«2025-01-31T10:00:00Z»', seen: '«2025-01-31T10:00:00Z»', body: '«x»' },
    });
    expect(viewOf(hit, { index, sortFields: ['at'], named: [] })).toEqual({
      ...{ key: 'id=7', sort: { at: '2025-01-31T10:00:00Z' }, fields: { title: 'red', size: 5 } },
      highlight: { seen: '«2025-01-31T10:00:00Z»', body: '«x»' },
    });
  });
});

import type { IndexDescription, MergeFailure } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { width } from '../../terminal/text.ts';
import { describeLines } from './describe-lines.ts';

const can = { indexed: true, fast: false, cached: false };
const index: IndexDescription = {
  ...{ index: 'x', status: 'live', num_docs: 5018, deleted_docs: 1, segments: 2, bytes: 5_100_000 },
  ...{ snapshot: '14051234567891723', checkpoint: null, index_generation: 3 },
  key: { partition: ['repo'], identifier: ['id'] },
  source: { catalog: { type: 'filesystem', warehouse: './lake' }, table: 'ops.x', ref: 'b' },
  fields: [
    { name: 'title', type: 'TEXT', ...can, cached: true, analyzer: 'english', source: ['title'] },
    { name: 'at', type: 'DATE', ...can, fast: true, source: ['at'] },
    {
      name: 'tags',
      type: 'KEYWORD',
      ...can,
      multi_valued: true,
      sensitive: true,
      source: ['tags'],
    },
    { name: 'about', type: 'VECTOR', ...can, indexed: false, source: ['title', 'body'] },
  ],
  default_fields: ['title'],
  time_fields: ['at'],
  sort_fields: ['at'],
  variants: [],
  analyzers: [],
  vector_fields: [
    {
      ...{ name: 'about', dims: 384, similarity: 'cosine', index: 'auto', documents: 5000 },
      ...{ bytes: 3_900_000, model: { name: 'default', checksum: '80d3aabbccdd' } },
    },
  ],
};
const lines = (description: IndexDescription, columns = 120) =>
  describeLines(description, styleFor({ color: false }), columns);

describe('the lines of index describe', () => {
  it('show since when and why merges fail', () => {
    const failure = { code: 'disk_full', message: 'no space', since: '2026-11-20T10:00:00Z' };
    const shown = lines({ ...index, merge_failure: failure as MergeFailure });
    expect(shown[2]).toMatch(/^merges fail since 2026-11-20 .*: no space$/);
  });

  it('show figures, capabilities of fields, times, sorts, vectors and the next command', () => {
    expect(lines(index)).toEqual([
      'x  live, generation 3, 5,018 rows, 5.1 MB in 2 segments',
      'at snapshot 1405…1723 of ops.x@b; key repo, id; 1 deleted row awaits a merge',
      '',
      'field  type     can                        from',
      'title  TEXT     indexed (english) cached   title',
      'at     DATE     indexed fast               at',
      'tags   KEYWORD  indexed several sensitive  tags',
      'about  VECTOR   nearest                    title, body',
      '',
      'words in  title',
      'times     at',
      'sorts by  _score, _key, at',
      'vectors   about: 384 numbers, cosine, auto, model default (80d3aabb), 5,000 of ' +
        '5,018 rows, 3.9 MB',
      '',
      "next: lhs search x 'some words' --mode hybrid",
    ]);
  });

  it('show what the definition says of the index and its fields', () => {
    const [first, ...others] = index.fields;
    const fields = [{ ...first, description: 'what happened' }, ...others];
    const text = lines({ ...index, description: 'reports of incidents', fields });
    expect(text[1]).toBe('reports of incidents');
    expect(text.slice(4, 6)).toEqual([
      'field  type     can                        from         about',
      'title  TEXT     indexed (english) cached   title        what happened',
    ]);
  });

  it('name a search that the index can answer', () => {
    const { fields, ...rest } = index;
    const plain = { ...rest, fields: fields.slice(1), default_fields: [], vector_fields: [] };
    expect(lines(plain).at(-1)).toBe("next: lhs search x '*:*'");
    expect(lines({ ...index, vector_fields: [] }).at(-1)).toBe("next: lhs search x 'some words'");
  });

  it('name the next command for an index that is not built', () => {
    const created: IndexDescription = { ...index, status: 'created', num_docs: 0, deleted_docs: 0 };
    const text = lines(created);
    expect(text.slice(0, 2)).toEqual(['x  created, not built', 'of ops.x@b; key repo, id']);
    expect(text.at(-1)).toBe('next: lhs index reindex x');
    expect(text.join('\n')).toContain(
      'about: 384 numbers, cosine, auto, model default (80d3aabb)\n',
    );
  });

  it.each([60, 80])('fit %i columns', (columns) => {
    for (const line of lines(index, columns)) expect(width(line)).toBeLessThanOrEqual(columns);
  });
});

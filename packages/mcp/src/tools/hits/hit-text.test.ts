import { describe, expect, it } from 'vitest';
import { hitText } from './hit-text.ts';
import type { HitView } from './hit-view.ts';

const hits: readonly HitView[] = [1, 2, 3, 4, 5].map((i) => ({
  key: `sha=${i}a`,
  hash: `0${i}`,
  score: i,
  fields: { sha: `${i}a`, repo: 'curl', subject: `the subject of commit ${i} in words` },
  highlight: { body: '«leak»' },
  cut: ['subject'],
}));
const plain = { withScores: false, withHashes: false, keyOf: ({ key }: HitView) => key };

describe('the text of hits', () => {
  it('says values of all hits once, and no key twice', () => {
    expect(hitText(hits, true, plain)).toEqual([
      'in every hit, repo: curl',
      'in every hit, "match in body": «leak»',
      'sha\tsubject',
      ...[1, 2, 3, 4, 5].map((i) => `${i}a\tthe subject of commit ${i} in words`),
    ]);
  });

  it('has scores and hashes if they mean something', () => {
    const options = { ...plain, withScores: true, withHashes: true };
    const two = hits.slice(0, 2).map((hit): HitView => ({ ...hit, fields: { repo: 'git' } }));
    expect(hitText(two, false, options)).toEqual([
      ...['sha=1a 1 #01', 'repo: git', '"match in body": «leak»'],
      ...['sha=2a 2 #02', 'repo: git', '"match in body": «leak»'],
    ]);
  });

  it('has whole keys in a table if a value has the name of their column', () => {
    const others = hits.map((hit, i): HitView => ({ ...hit, fields: { sha: `another ${i}` } }));
    const options = { ...plain, keyOf: ({ key }: HitView) => `${key}*` };
    const [, header, first] = hitText(others, true, options);
    expect([header, first]).toEqual(['key (…*)\tsha', 'sha=1a\tanother 0']);
  });
});

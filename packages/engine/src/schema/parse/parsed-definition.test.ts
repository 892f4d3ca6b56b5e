import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { requireDefinition } from './parse-definition.ts';
import { PARSED_FORMAT, readParsed, storeParsed } from './parsed-definition.ts';

const TEXT = `version: 1
index: everything
source: { catalog: { type: sql, uri: "sqlite:///c.db", name: c }, table: a.b, ref: main }
key: { partition: [tenant], identifier: [id, at] }
on_duplicate_key: last
on_bad_row: skip
tenant_field: tenant
fields:
  - { name: text, type: TEXT, source: [title, body], analyzer: own, max_bytes: 100, cached: true }
  - { name: tenant, type: KEYWORD, fast: true, sensitive: true }
  - { name: at, type: DATE, format: epoch_ms, source: at_ms }
  - { name: n, type: LONG, indexed: false, fast: true }
  - { name: v, type: VECTOR, source: [title, body], model: ./models/m, dims: 768, similarity: dot }
variants:
  - { column: payload, flatten: true }
analyzers:
  - { name: own, tokenizer: standard, filters: [lowercase] }
`;

describe('a parsed definition', () => {
  it('is read back as it was parsed', () => {
    const definition = requireDefinition(TEXT, ANALYZER_CATALOG);
    expect(readParsed(storeParsed(definition), TEXT)).toStrictEqual(definition);
  });

  it('is not read from another format or an empty file', () => {
    const stored = storeParsed(requireDefinition(TEXT, ANALYZER_CATALOG));
    const older = stored.replace(`"format":${PARSED_FORMAT}`, `"format":${PARSED_FORMAT - 1}`);
    expect(readParsed(older, TEXT)).toBeNull();
    expect(readParsed(null, TEXT)).toBeNull();
  });

  it('is refused if a bit of it or of its text is flipped', () => {
    const stored = storeParsed(requireDefinition(TEXT, ANALYZER_CATALOG));
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    for (let at = 0; at < TEXT.length; at += 7) {
      expect(() => readParsed(stored, flipped(TEXT, at))).toThrow('is damaged');
    }
    for (let at = 12; at < stored.length - 1; at += 7) {
      expect(() => readParsed(flipped(stored, at), TEXT), stored.slice(at)).toThrow('is damaged');
    }
  });

  it('has one shape per format: if this fails, raise PARSED_FORMAT with the new digest', () => {
    const stored = storeParsed(requireDefinition(TEXT, ANALYZER_CATALOG));
    const digest = createHash('sha256').update(stored).digest('hex').slice(0, 16);
    expect([PARSED_FORMAT, digest]).toEqual([7, 'e7a416a70d6dcea3']);
  });
});

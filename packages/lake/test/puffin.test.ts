import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeDeletionVector, encodeDeletionVector } from '../src/puffin/deletion-vector.ts';
import { puffinBlobs } from './puffin-blobs.ts';
import { hasShared, ICEBERG } from './truth-form.ts';

/** Every deletion vector of ../shared/iceberg (written by Iceberg's Java library). */
describe.skipIf(!hasShared)('puffin files of the shared tables', () => {
  it('hold vectors of the stated cardinality, which we write back byte for byte', () => {
    const paths = readdirSync(ICEBERG, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.puffin'));
    const seen = { files: 0, vectors: 0, positions: 0, sameBytes: 0 };
    for (const path of paths) {
      const file = readFileSync(`${ICEBERG}${path}`);
      seen.files++;
      for (const blob of puffinBlobs(file)) {
        expect(blob.type).toBe('deletion-vector-v1');
        const bytes = file.subarray(blob.offset, blob.offset + blob.length);
        const vector = decodeDeletionVector(bytes, path);
        expect(String(vector.size), path).toBe(blob.properties.cardinality);
        const written = encodeDeletionVector(vector);
        expect([...decodeDeletionVector(written).positions]).toEqual([...vector.positions]);
        seen.vectors++;
        seen.positions += vector.size;
        if (Buffer.compare(written, bytes) === 0) seen.sameBytes++;
      }
    }
    process.stdout.write(`deletion vectors: ${JSON.stringify(seen)}\n`);
    expect(seen.vectors).toBeGreaterThan(30);
    expect(seen.sameBytes).toBe(seen.vectors);
  });
});

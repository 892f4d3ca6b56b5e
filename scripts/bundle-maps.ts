/**
 * Source maps of the bundle that name our source lines and nothing else: stacks need no columns of
 * statements and no lines of packages. A map is a seventh of what rolldown writes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

/** The segments of a generated line where the source line changes; theirs name no source. */
function lineStarts(line: readonly SourceMapSegment[], isOurs: readonly boolean[]) {
  const starts: SourceMapSegment[] = [];
  for (const segment of line) {
    const [column, source, row, sourceColumn] = segment;
    const last = starts.at(-1);
    const isMapped = source !== undefined && isOurs[source] === true;
    if (!isMapped && last?.length !== 1) starts.push([column]);
    if (isMapped && (last?.[1] !== source || last[2] !== row))
      starts.push([column, source, row!, sourceColumn!]);
  }
  return starts;
}

/** Rewrites the map in a file. */
export function keepLines(file: string): void {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const isOurs = map.sources.map((source: string) => !source.includes('node_modules/'));
  const mappings = decode(map.mappings).map((line) => lineStarts(line, isOurs));
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(mappings) }));
}

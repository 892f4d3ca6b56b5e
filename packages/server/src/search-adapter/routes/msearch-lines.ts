import type { Json, JsonObject } from '@lakehouse-search/contract';
import { exactJson } from '../base/exact-json.ts';
import { objectIn } from '../base/read-json.ts';
import { illegal, malformed } from '../query/refusal.ts';

/** One search of `_msearch`. */
export interface LinedSearch {
  readonly header: JsonObject;
  readonly body: Json;
}

/** The searches of a body of lines: a header and a body in turns. Throws RefusedDsl. */
export function linesOf(body: Json | undefined): readonly LinedSearch[] {
  const lines = String(body ?? '')
    .split('\n')
    .map((line) => line.trim());
  while (lines.length > 0 && lines[lines.length - 1] === '') lines.pop();
  const searches: LinedSearch[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const header = lines[at] === '' ? {} : objectIn(parsed(lines[at]), 'metadata');
    if (at + 1 >= lines.length) throw illegal('the last search of _msearch has no body');
    searches.push({ header, body: parsed(lines[at + 1]) });
  }
  if (searches.length > 0) return searches;
  throw illegal('Validation Failed: 1: no requests added;');
}

function parsed(line: string): Json {
  try {
    return exactJson(line, 'a line');
  } catch (cause) {
    throw malformed((cause as Error).message);
  }
}

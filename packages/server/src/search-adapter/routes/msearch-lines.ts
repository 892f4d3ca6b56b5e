import type { Json, JsonObject } from '@lakehouse-search/contract';
import { pauses } from '@lakehouse-search/engine/internal';
import { exactJson } from '../base/exact-json.ts';
import { objectIn } from '../base/read-json.ts';
import { illegal, malformed } from '../query/refusal.ts';

/** One search of `_msearch`. */
export interface LinedSearch {
  readonly header: JsonObject;
  readonly body: Json;
}

/**
 * The searches of a body of lines: a header and a body in turns. They are read in several turns of
 * the event loop. Throws RefusedDsl, also for more than `most` of them.
 */
export async function linesOf(
  body: Json | undefined,
  most: number,
): Promise<readonly LinedSearch[]> {
  const text = String(body ?? '').trimEnd();
  if (text === '') throw illegal('Validation Failed: 1: no requests added;');
  const lines = text.split('\n', 2 * most + 1);
  if (lines.length > 2 * most) throw illegal(`more than ${most} searches in one request`);
  if (lines.length % 2 === 1) throw illegal('the last search of _msearch has no body');
  const searches: LinedSearch[] = [];
  const pause = pauses();
  for (let at = 0; at < lines.length; at += 2) {
    const header = await parsed(lines[at], '{}');
    searches.push({ header: objectIn(header, 'metadata'), body: await parsed(lines[at + 1]) });
    await pause();
  }
  return searches;
}

async function parsed(line: string, blank = line): Promise<Json> {
  try {
    return await exactJson(line.trim() === '' ? blank : line, 'a line');
  } catch (cause) {
    throw malformed((cause as Error).message);
  }
}

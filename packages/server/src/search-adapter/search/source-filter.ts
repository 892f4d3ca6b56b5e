/** `_source`: whether hits have their row, and which parts of it. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { matches } from '../base/filter-path.ts';
import { onlyKnown, patternsIn, textIn, type UrlParams } from '../base/read-json.ts';
import { isObject } from '../query/body.ts';
import { malformed } from '../query/refusal.ts';

/** Parts of a row; null: the request wants no row. */
export interface SourceFilter {
  readonly includes: Selection;
  readonly excludes: Selection;
}

/** Whether patterns select a path. The paths of rows repeat, so answers are remembered. */
type Selection = ((path: string) => boolean) | null;

const ALL: SourceFilter = { includes: null, excludes: null };
/** Rows of any keys could have paths without end. */
const MOST_REMEMBERED = 1000;

function selection(patterns: readonly string[]): Selection {
  if (patterns.length === 0) return null;
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = patterns.some((pattern) => matches(pattern, path));
    if (known.size < MOST_REMEMBERED) known.set(path, found);
    return found;
  };
}

/** Reads `_source` of a body, which the parameters of the URL replace. */
export function readSource(
  json: Json | undefined,
  params: UrlParams,
  byDefault: boolean,
): SourceFilter | null {
  const { _source, _source_includes, _source_excludes } = params;
  const listed = (text: string | undefined) =>
    text === undefined ? [] : patterns(text.split(','));
  const isFlag = _source === 'true' || _source === 'false';
  if (_source === 'false') return null;
  const named = [...(isFlag ? [] : listed(_source)), ...listed(_source_includes)];
  if (_source !== undefined || _source_includes !== undefined || _source_excludes !== undefined) {
    return { includes: selection(named), excludes: selection(listed(_source_excludes)) };
  }
  if (json === undefined) return byDefault ? ALL : null;
  return ofBody(json);
}

function ofBody(json: Json): SourceFilter | null {
  if (json === true || json === 'true') return ALL;
  if (json === false || json === 'false') return null;
  if (typeof json === 'string' || Array.isArray(json)) {
    return { includes: selection(patterns(json)), excludes: null };
  }
  if (!isObject(json)) throw malformed('Expected one of [VALUE_BOOLEAN, START_OBJECT] for _source');
  const known = ['includes', 'include', 'excludes', 'exclude'];
  const { includes, include, excludes, exclude } = onlyKnown(json, '_source', known);
  return {
    includes: selection(patterns(includes ?? include ?? [])),
    excludes: selection(patterns(excludes ?? exclude ?? [])),
  };
}

const patterns = (json: Json): readonly string[] =>
  patternsIn(json, '_source').map((one) => textIn(one, '_source'));

/** The parts of a row that a filter selects. */
export function filterSource(row: JsonObject, filter: SourceFilter): JsonObject {
  const { includes, excludes } = filter;
  if (includes === null && excludes === null) return row;
  return (part(row, '', includes === null, filter) ?? {}) as JsonObject;
}

function part(
  json: Json,
  path: string,
  isIncluded: boolean,
  filter: SourceFilter,
): Json | undefined {
  if (Array.isArray(json)) {
    const items = json
      .map((item) => part(item, path, isIncluded, filter))
      .filter((item) => item !== undefined);
    return items.length === 0 && !isIncluded ? undefined : items;
  }
  if (!isObject(json)) return isIncluded ? json : undefined;
  const kept = Object.entries(json).flatMap(([name, value]) => {
    const own = path === '' ? name : `${path}.${name}`;
    if (filter.excludes?.(own) === true) return [];
    const isOwn = isIncluded || filter.includes?.(own) === true;
    const found = part(value, own, isOwn, filter);
    return found === undefined ? [] : [[name, found] as const];
  });
  return kept.length === 0 && !isIncluded ? undefined : Object.fromEntries(kept);
}

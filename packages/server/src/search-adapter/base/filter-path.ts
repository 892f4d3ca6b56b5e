/** `filter_path`: the parts of a response that a client wants, such as `hits.hits._id,-took`. */
import type { Json } from '@lakehouse-search/contract';
import { illegal } from '../query/refusal.ts';

/** The rest of a path: each of them once, so that sets of them stay small. */
interface Path {
  readonly name: string;
  readonly rest: Path | null;
}

/** null among them: what has been reached is selected. */
type Paths = ReadonlySet<Path | null>;

/** Names of all paths together: each member of a response is compared with them. */
const MOST_NAMES = 256;

/**
 * The parts of `json` that the paths select. `*` is any name, `**` any number of levels. Throws for
 * more names than MOST_NAMES.
 */
export function filterPath(json: Json, paths: string): Json {
  const all = paths.split(',').filter((path) => path !== '');
  if (all.join('.').split('.').length > MOST_NAMES) {
    throw illegal(`[filter_path] has more than ${MOST_NAMES} names`);
  }
  const pathsOf = (texts: readonly string[]) => new Set(texts.map(pathOf));
  const wanted = pathsOf(all.filter((path) => !path.startsWith('-')));
  const unwanted = pathsOf(all.filter((path) => path.startsWith('-')).map((p) => p.slice(1)));
  const included = wanted.size === 0 ? json : (keep(json, wanted) ?? {});
  return unwanted.size === 0 ? included : drop(included, unwanted);
}

/** `**.**` is the same as `**`. */
function pathOf(text: string): Path | null {
  return text.split('.').reduceRight<Path | null>((rest, name) => {
    return name === '**' && rest?.name === '**' ? rest : { name, rest };
  }, null);
}

/** What is left of the paths below a member. */
function below(paths: Paths, name: string): Paths {
  const left = new Set<Path | null>();
  const add = (path: Path | null): void => {
    if (path === null) left.add(null);
    else if (path.name !== '**') {
      if (matches(path.name, name)) left.add(path.rest);
    } else {
      if (path.rest !== null) left.add(path);
      add(path.rest);
    }
  };
  for (const path of paths) add(path);
  return left;
}

function keep(json: Json, paths: Paths): Json | undefined {
  if (paths.has(null)) return json;
  if (Array.isArray(json)) {
    const kept = json.map((item) => keep(item, paths)).filter((item) => item !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const kept = Object.entries(json).flatMap(([name, value]) => {
    const found = keep(value, below(paths, name));
    return found === undefined ? [] : [[name, found] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function drop(json: Json, paths: Paths): Json {
  if (Array.isArray(json)) return json.map((item) => drop(item, paths));
  if (typeof json !== 'object' || json === null) return json;
  const left = Object.entries(json).flatMap(([name, value]) => {
    const inner = below(paths, name);
    if (inner.has(null)) return [];
    return [[name, inner.size === 0 ? value : drop(value, inner)] as const];
  });
  return Object.fromEntries(left);
}

/** Whether a name matches a pattern with `*`. */
export function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === name;
  if (!name.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts[parts.length - 1];
  return name.length - at >= last.length && name.endsWith(last);
}

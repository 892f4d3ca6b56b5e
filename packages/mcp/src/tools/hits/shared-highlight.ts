import type { JsonObject } from '@lakehouse-search/contract';
import type { HitView } from './hit-view.ts';

/** Hits, and the highlights that all of them have: a clause such as `repo:curl` gives the same. */
export interface SharedHighlight {
  readonly views: readonly HitView[];
  readonly shared: JsonObject;
}

/** Takes highlights that several hits have in common from each of them. */
export function sharedHighlight(all: readonly HitView[]): SharedHighlight {
  const [first, ...others] = all;
  const common = Object.entries(first?.highlight ?? {}).filter(([name, text]) =>
    others.every(({ highlight }) => highlight?.[name] === text),
  );
  if (others.length === 0 || common.length === 0) return { views: all, shared: {} };
  const shared = Object.fromEntries(common);
  const views = all.map(({ highlight = {}, ...view }): HitView => {
    const own = Object.entries(highlight).filter(([name]) => shared[name] === undefined);
    return own.length === 0 ? view : { ...view, highlight: Object.fromEntries(own) };
  });
  return { views, shared };
}

import type { Highlight, Hit } from './response.ts';

/** A piece of a text, in segments of which some are marked. */
export type Fragment = Highlight[string][number];

/** Fields whose fragments are shown of a hit. */
const MAX_FRAGMENTS = 3;

/**
 * The first fragments of fields that are not shown otherwise, each behind its field's name, short
 * ones first, at most three. `…` says that a field goes on.
 */
export function otherFragments(
  hit: Hit,
  shown: readonly (string | undefined)[],
): readonly Fragment[] {
  const found = Object.entries(hit.highlight ?? {}).flatMap(([field, [fragment]]): Fragment[] => {
    if (shown.includes(field) || fragment === undefined) return [];
    const text = fragmentText(fragment);
    const whole = String(hit.fields?.[field] ?? text);
    const before = whole.startsWith(text) ? '' : '… ';
    const after = whole.endsWith(text) ? [] : [{ text: ' …', marked: false }];
    return [[{ text: `${field}: ${before}`, marked: false }, ...fragment, ...after]];
  });
  const lengthOf = (fragment: Fragment) => fragmentText(fragment).length;
  return found.sort((a, b) => lengthOf(a) - lengthOf(b)).slice(0, MAX_FRAGMENTS);
}

/** The text of a fragment without its marks. */
export const fragmentText = (fragment: Fragment): string =>
  fragment.map(({ text }) => text).join('');

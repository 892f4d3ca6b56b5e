/**
 * Whether a client prefers HTML to JSON by its header `Accept`. Browsers name HTML; clients of the
 * API name JSON, anything (`*` `/` `*`) or nothing, and want none.
 */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.toLowerCase().split(',').map(rangeOf);
  const html = Math.max(0, ...weights(ranges, (type) => type === 'text/html'));
  const json = Math.max(0, ...weights(ranges, (type) => /[/+]json$/.test(type)));
  return html > 0 && html >= json;
}

interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

function rangeOf(text: string): MediaRange {
  const [type, ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const number = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, weight: Number.isNaN(number) ? 0 : number };
}

const weights = (ranges: readonly MediaRange[], of: (type: string) => boolean): number[] =>
  ranges.filter(({ type }) => of(type)).map(({ weight }) => weight);

import type { Hit, SearchResponse } from '@lakehouse-search/contract';
import { adviceLines } from '../terminal/next-step.ts';
import type { Style } from '../terminal/style.ts';
import { printable, wrap } from '../terminal/text.ts';

/** Where the arms of a hybrid search have a hit: `words 3 · meaning 1`. */
export function armWords({ arms }: Hit): string {
  if (arms === undefined) return '';
  const { lexical, semantic } = arms;
  const parts = [
    ...(lexical === undefined ? [] : [`words ${lexical.rank}`]),
    ...(semantic === undefined ? [] : [`meaning ${semantic.rank}`]),
  ];
  return parts.join(' · ');
}

/** Remarks on a response: arms that failed, with reasons, and notes. */
export function remarks(answer: SearchResponse, style: Style, columns: number): string[] {
  const failed = (answer.failed_arms ?? []).flatMap(({ arm, message, hint, next }) => {
    const what = `the ${arm} arm did not answer: ${printable(message)}`;
    return [what, ...adviceLines(hint, next).map((line) => `  ${printable(line)}`)];
  });
  return [...failed, ...(answer.notes ?? []).map(printable)].flatMap((line) =>
    wrap(style.yellow(line), columns),
  );
}

import type { DefinitionIssue } from '@lakehouse-search/contract';
import type { Style } from './style.ts';
import { pad } from './text.ts';

/** The issues of a definition, one per line: position, severity and message. */
export function issueLines(
  file: string,
  issues: readonly DefinitionIssue[],
  style: Style,
): string[] {
  const places = issues.map((i) => `${file}:${i.line}:${i.column}`);
  const wide = Math.max(0, ...places.map((p) => p.length));
  return issues.map((issue, i) => {
    const paint = issue.severity === 'error' ? style.red : style.yellow;
    return `${pad(places[i], wide)}  ${paint(pad(issue.severity, 7))}  ${issue.message}`;
  });
}

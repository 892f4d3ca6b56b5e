import { printable } from './printable.ts';

/** The escape sequences of style.ts, and no others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const OWN_STYLES = /(\u001b\[(?:1|2|22|3[1236]|39|1;7|22;27)m)/;

/**
 * A line as it may be printed. Every text from outside loses its control characters, line ends
 * among them; `styled` keeps the escape sequences of style.ts. No line is a workflow command: a
 * GitHub runner runs `::name::` after leading blanks and `##[name]` anywhere, Azure Pipelines
 * `##vso[name]`.
 */
export function safeLine(line: string, styled: boolean): string {
  const text = styled
    ? line
        .split(OWN_STYLES)
        .map((part, i) => (i % 2 === 1 ? part : printable(part)))
        .join('')
    : printable(line);
  return text.replace(/^(\s*)::/, '$1\\::').replace(/##(?=\[|[vV][sS][oO]\[)/g, '##\\');
}

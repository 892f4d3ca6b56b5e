import type {
  ExplainArm,
  ExplainDetail,
  ExplainResponse,
  WhyNot,
} from '@lakehouse-search/contract';
import { count } from '../../terminal/figures.ts';
import type { Style } from '../../terminal/style.ts';
import { cut, pad, printable, width, wrap } from '../../terminal/text.ts';

/** An explanation as people read it: the score and its tree, or what keeps the row out. */
export function explainLines(
  answer: ExplainResponse,
  key: string,
  style: Style,
  columns: number,
): string[] {
  const { detail, why_not } = answer;
  const lines = detail === undefined ? [] : treeLines(answer, detail, style, columns);
  if (detail !== undefined) lines.push(...armLines(answer, style, columns));
  if (why_not !== undefined) lines.push(...whyNotLines(why_not, key, style, columns));
  return lines;
}

/**
 * What each arm of a hybrid search says by itself; its own score is of another kind than the sum's.
 */
function armLines({ arms }: ExplainResponse, style: Style, columns: number): string[] {
  return Object.entries(arms ?? {}).flatMap(([name, arm]: [string, ExplainArm]) => {
    const { rank, score, similarity, detail, why_not } = arm;
    const near =
      similarity === undefined ? '' : `, similarity ${Number(similarity.toPrecision(6))}`;
    const found = why_not ?? `rank ${count(rank ?? 0)}, score ${figure(score ?? 0)}${near}`;
    const head = wrap(`${style.bold(`${name}:`)} ${printable(found)}`, columns, '  ');
    return [...head, ...(detail === undefined ? [] : partLines(detail, style, columns))];
  });
}

interface Line {
  readonly depth: number;
  readonly detail: ExplainDetail;
}

function treeLines(
  { rank, total, score = 0 }: ExplainResponse,
  root: ExplainDetail,
  style: Style,
  columns: number,
): string[] {
  const place = rank === undefined ? '' : `, rank ${count(rank)} of ${count(total ?? 0)}`;
  const head = `${style.bold(figure(score))}  matched${place}`;
  return [head, ...partLines(root, style, columns)];
}

/** The parts of a score, below one another. */
function partLines(root: ExplainDetail, style: Style, columns: number): string[] {
  const lines = (root.details.length === 0 ? [root] : root.details).flatMap((detail) =>
    below(detail, 1),
  );
  const figures = Math.max(...lines.map(({ detail }) => figure(detail.score).length));
  const names = lines.map((line) => line.depth + width(clauseText(line)));
  const wide = Math.min(Math.max(...names), Math.max(10, Math.floor(columns / 3)));
  return lines.flatMap((line) => oneLine(line, figures, wide, style, columns));
}

const below = (detail: ExplainDetail, depth: number): Line[] => [
  { depth, detail },
  ...detail.details.flatMap((part) => below(part, depth + 1)),
];

const figure = (score: number): string =>
  score !== 0 && Math.abs(score) < 0.1 ? String(Number(score.toPrecision(2))) : score.toFixed(2);

const clauseText = ({ detail }: Line): string => printable(detail.clause);

/** ` 4.90  title:timeout    idf 5.31 (…) × tf 0.92 (…)`; what does not fit goes on below. */
function oneLine(
  line: Line,
  figures: number,
  wide: number,
  style: Style,
  columns: number,
): string[] {
  const { depth, detail } = line;
  const score = `${' '.repeat(depth)}${pad(figure(detail.score), figures, 'right')}  `;
  const room = wide - depth + 1;
  const clause = pad(cut(clauseText(line), room), room);
  const indent = width(score) + width(clause) + 2;
  const made = printable(detail.description.slice(detail.clause.length + 2));
  const wrapped = wrap(made, Math.max(12, columns - indent), '');
  return wrapped.map((text, i) => {
    const head = i === 0 ? `${score}${style.cyan(clause)}  ` : ' '.repeat(indent);
    return head + (i === 0 ? text : style.dim(text));
  });
}

const HEADS: Partial<Record<WhyNot['reason'], string>> = {
  not_near: 'not near',
  below_page: 'not on the page',
  absent: 'not found',
  newer_than_index: 'not in the index yet',
  not_indexed: 'not in the index',
  table_unreachable: 'not in the index',
  removed: 'removed since',
};

function whyNotLines(why: WhyNot, key: string, style: Style, columns: number): string[] {
  const head = style.bold(`${HEADS[why.reason] ?? 'not matched'}:`);
  const lines = wrap(`${head} ${printable(why.message)}`, columns);
  lines.push(...reasonLines(why, key, columns, '  '));
  for (const other of why.others ?? []) {
    lines.push(...wrap(`  · ${printable(other.message)}`, columns, '    '));
    lines.push(...reasonLines(other, key, columns, '    '));
  }
  return lines;
}

/** What the document has there, and what would match. */
function reasonLines(why: WhyNot, key: string, columns: number, indent: string): string[] {
  const { field, tokens, tokens_total, would_match, change, nearest_term } = why;
  const texts: string[] = [];
  if (field !== undefined && tokens !== undefined && tokens.length > 0) {
    const more = tokens_total === undefined ? '' : ` … (of ${count(tokens_total)})`;
    texts.push(`${field} of ${key} reads: ${tokens.map(printable).join(' · ')}${more}`);
  }
  if (would_match !== undefined) texts.push(`${change} it would match: ${printable(would_match)}`);
  else if (nearest_term !== undefined) {
    texts.push(`the nearest word in the index: ${printable(nearest_term)}`);
  }
  return texts.flatMap((text) => wrap(`${indent}${text}`, columns, `${indent}  `));
}

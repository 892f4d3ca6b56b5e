import type { Hit, IndexDescription } from '@lakehouse-search/contract';
import { type Fragment, fragmentText, otherFragments } from '@lakehouse-search/contract/internal';
import { Highlighted } from '../parts/highlighted.tsx';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { keyParts, keyText, shortValue, valueText } from '../text/values.ts';
import { moveFocus } from './use-hit-keys.ts';

/** One hit of a page. */
export interface HitItemProps {
  readonly hit: Hit;
  readonly rank: number;
  readonly place: SearchPlace;
  readonly description: IndexDescription;
}

/** The title (the first cached TEXT field with a value), small fields, and fragments of others. */
export function HitItem({ hit, rank, place, description }: HitItemProps) {
  const row = keyParts(hit.coordinates);
  const key = keyText(row);
  const isOpen = place.row !== undefined && keyText(place.row) === key;
  const title = titleOf(hit, description);
  const small = smallFields(hit, description, title?.field);
  const fragments = otherFragments(hit, [title?.field, ...small.map(({ name }) => name)]);
  return (
    <li class={isOpen ? 'hit open' : 'hit'} value={rank}>
      <a
        class="hit-link"
        href={hrefOf({ ...place, row })}
        aria-current={isOpen ? 'true' : undefined}
        onKeyDown={moveBetween}
      >
        <span class="rank" aria-hidden="true">
          {rank}
        </span>
        <span class="title" dir="auto">
          {title === undefined ? <bdi>{key}</bdi> : <Highlighted fragment={title.fragment} />}
        </span>
      </a>
      {fragments.map((fragment) => (
        <p class="fragment" dir="auto" key={fragmentText(fragment)}>
          <Highlighted fragment={fragment} />
        </p>
      ))}
      <p class="small">
        <span class="key">{key}</span>
        {[scoreText(hit, place), ...armWords(hit), ...small.map(({ text }) => text)]
          .filter((text) => text !== '')
          .map((text) => (
            <bdi key={text}>{text}</bdi>
          ))}
      </p>
    </li>
  );
}

function titleOf(
  hit: Hit,
  { fields }: IndexDescription,
): { readonly field: string; readonly fragment: Fragment } | undefined {
  const names = fields.filter(({ type, cached }) => type === 'TEXT' && cached).map((f) => f.name);
  const textOf = (name: string) => [hit.fields?.[name] ?? []].flat().map(valueText).join(', ');
  const field = names.find((name) => textOf(name) !== '');
  if (field === undefined) return undefined;
  const whole = hit.highlight?.[field]?.[0];
  return { field, fragment: whole ?? [{ text: textOf(field), marked: false }] };
}

/** Scores order the hits unless a field does; fused scores differ behind the second decimal. */
function scoreText({ score, arms }: Hit, { sort, query, mode }: SearchPlace): string {
  if (sort.length > 0 || (mode === 'lexical' && query.trim() === '')) return '';
  return `score ${score.toFixed(arms === undefined ? 2 : 4)}`;
}

function armWords({ arms }: Hit): readonly string[] {
  return [
    ...(arms?.lexical === undefined ? [] : [`words ${arms.lexical.rank}`]),
    ...(arms?.semantic === undefined ? [] : [`meaning ${arms.semantic.rank}`]),
  ];
}

/** Small fields of a hit. */
const MAX_SMALL = 6;

/**
 * The cached fields that are not text, those that matched first, without those of the key; each
 * column once.
 */
function smallFields(
  { fields, highlight }: Hit,
  { fields: all, key }: IndexDescription,
  title: string | undefined,
): readonly { readonly name: string; readonly text: string }[] {
  const keys = new Set([...key.partition, ...key.identifier]);
  const isMatched = (name: string) => Number(highlight?.[name] !== undefined);
  const columns = new Set(all.find(({ name }) => name === title)?.source);
  const small = all.filter(({ name, type }) => type !== 'TEXT' && !keys.has(name));
  return small
    .sort((a, b) => isMatched(b.name) - isMatched(a.name))
    .flatMap((field) => {
      const value = fields?.[field.name] ?? null;
      const column = [...field.source, ...(field.path === undefined ? [] : [field.path])].join('.');
      if (value === null || columns.has(column)) return [];
      columns.add(column);
      return [{ name: field.name, text: shortValue(field, value) }];
    })
    .slice(0, MAX_SMALL);
}

/** The arrow keys go from hit to hit, and from the first one back to the query. */
function moveBetween(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const isFirst = (event.currentTarget as Element).closest('li')?.previousElementSibling === null;
  if (event.key === 'ArrowUp' && isFirst) {
    document.querySelector<HTMLElement>('form.query input')?.focus();
  } else {
    moveFocus(event.key === 'ArrowDown' ? 1 : -1);
  }
}

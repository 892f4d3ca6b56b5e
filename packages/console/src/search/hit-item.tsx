import type { Highlight, Hit, IndexDescription } from '@lakehouse-search/contract';
import { Highlighted } from '../parts/highlighted.tsx';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { keyParts, keyText, shortValue, valueText } from '../text/values.ts';

/** One hit of a page. */
export interface HitItemProps {
  readonly hit: Hit;
  readonly rank: number;
  readonly place: SearchPlace;
  readonly description: IndexDescription;
}

/** The title (the first cached TEXT field), the small fields, and the best fragment of another. */
export function HitItem({ hit, rank, place, description }: HitItemProps) {
  const row = keyParts(hit.coordinates);
  const key = keyText(row);
  const isOpen = place.row !== undefined && keyText(place.row) === key;
  const title = titleOf(hit, description);
  const fragment = fragmentOf(hit, title?.field);
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
        <span class="title">
          {title === undefined ? key : <Highlighted fragment={title.fragment} />}
        </span>
      </a>
      {fragment !== undefined && (
        <p class="fragment">
          <Highlighted fragment={fragment} />
        </p>
      )}
      <p class="small">
        <span class="key">{key}</span>
        {[scoreText(hit, place), ...armWords(hit), ...smallFields(hit, description)]
          .filter((text) => text !== '')
          .map((text) => (
            <span key={text}>{text}</span>
          ))}
      </p>
    </li>
  );
}

type Fragment = Highlight[string][number];

function titleOf(
  hit: Hit,
  { fields }: IndexDescription,
): { readonly field: string; readonly fragment: Fragment } | undefined {
  const names = fields.filter(({ type, cached }) => type === 'TEXT' && cached).map((f) => f.name);
  const field = names.find((name) => typeof hit.fields?.[name] === 'string');
  if (field === undefined) return undefined;
  const whole = hit.highlight?.[field]?.[0];
  const text = valueText(hit.fields?.[field] ?? '');
  return { field, fragment: whole ?? [{ text, marked: false }] };
}

/** A fragment of a field that is not the title, with `…` where the field goes on. */
function fragmentOf(hit: Hit, title: string | undefined): Fragment | undefined {
  const found = Object.entries(hit.highlight ?? {}).find(
    ([field, fragments]) => field !== title && fragments.length > 0,
  );
  if (found === undefined) return undefined;
  const [field, [fragment]] = found;
  const text = fragment.map((segment) => segment.text).join('');
  const whole = String(hit.fields?.[field] ?? text);
  return [
    ...(whole.startsWith(text) ? [] : [{ text: '… ', marked: false }]),
    ...fragment,
    ...(whole.endsWith(text) ? [] : [{ text: ' …', marked: false }]),
  ];
}

/** Scores order the hits unless a field does; fused scores differ behind the second decimal. */
function scoreText({ score, arms }: Hit, { sort, query, mode }: SearchPlace): string {
  if (sort !== undefined || (mode === 'lexical' && query.trim() === '')) return '';
  return `score ${score.toFixed(arms === undefined ? 2 : 4)}`;
}

function armWords({ arms }: Hit): readonly string[] {
  return [
    ...(arms?.lexical === undefined ? [] : [`words ${arms.lexical.rank}`]),
    ...(arms?.semantic === undefined ? [] : [`meaning ${arms.semantic.rank}`]),
  ];
}

/** The cached fields that are not text, without those of the key. */
function smallFields({ fields }: Hit, { fields: all, key }: IndexDescription): readonly string[] {
  const keys = new Set([...key.partition, ...key.identifier]);
  return all.flatMap((field) => {
    const value = fields?.[field.name];
    if (value === undefined || value === null || field.type === 'TEXT') return [];
    return keys.has(field.name) ? [] : [shortValue(field, value)];
  });
}

/** The arrow keys go from hit to hit. */
function moveBetween(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const item = (event.currentTarget as Element).closest('li');
  const other = event.key === 'ArrowDown' ? item?.nextElementSibling : item?.previousElementSibling;
  const link = other?.querySelector<HTMLElement>('a.hit-link');
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}

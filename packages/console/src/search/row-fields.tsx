import type {
  FieldDescription,
  Hit,
  IndexDescription,
  Json,
  JsonObject,
} from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { CopyButton } from '../parts/copy-line.tsx';
import { Folded } from '../parts/folded.tsx';
import { changed, hrefOf, type SearchPlace } from '../place/place.ts';
import { type Filter, toggled } from '../text/filter.ts';
import { markedParts, markedWords } from '../text/marks.ts';
import { instantText, valueText } from '../text/values.ts';
import { visible } from '../text/visible.ts';

/** The columns of a row. */
export interface RowFieldsProps {
  readonly place: SearchPlace;
  readonly description: IndexDescription;
  /** The hit of the row; absent: it is not on the page. */
  readonly hit: Hit | undefined;
  readonly fields: JsonObject;
}

/** Names and values of a row; values of fields that are indexed narrow the search. */
export function RowFields({ place, description, hit, fields }: RowFieldsProps) {
  const words = markedWords(hit);
  return (
    <>
      <dl class="facts">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <Value value={value} words={words} />
              <ValueActions {...{ place, value }} field={filterField(description, name, value)} />
            </dd>
          </div>
        ))}
      </dl>
      <p>
        <CopyButton label="row as JSON" text={JSON.stringify(fields, null, 2)} />
        <CopyButton label="link" text={typeof location === 'undefined' ? '' : location.href} />
      </p>
    </>
  );
}

const FILTERED = new Set(['KEYWORD', 'BOOL', 'LONG', 'DOUBLE', 'IP', 'DATE']);

/** The indexed field of a column whose values are compared as a whole. */
function filterField({ fields }: IndexDescription, column: string, value: Json) {
  if (value !== null && typeof value === 'object') return undefined;
  return fields.find(
    ({ source, type, indexed, path }) =>
      indexed && path === undefined && FILTERED.has(type) && source[0] === column,
  );
}

interface ValueActionsProps {
  readonly place: SearchPlace;
  readonly value: Json;
  readonly field: FieldDescription | undefined;
}

function ValueActions({ place, value, field }: ValueActionsProps) {
  const to = (filter: Filter) =>
    hrefOf(changed(place, { filters: toggled(place.filters, filter) }));
  const name = field?.name ?? '';
  const text = value === null ? '' : valueText(value);
  return (
    <span class="value-actions">
      {field !== undefined && value === null && (
        <a href={to({ kind: 'missing', field: name })} aria-label={`Only rows without ${name}`}>
          +
        </a>
      )}
      {field !== undefined && value !== null && (
        <>
          <a
            href={to({ kind: 'is', field: name, value: text })}
            aria-label={`Only ${name} ${text}`}
          >
            +
          </a>
          <a
            href={to({ kind: 'not', field: name, value: text })}
            aria-label={`Without ${name} ${text}`}
          >
            −
          </a>
        </>
      )}
      {value !== null && <CopyButton label="value" text={text} />}
    </span>
  );
}

/** Characters of a text that are shown at once. */
const LONG_TEXT = 4000;

function Value({ value, words }: { readonly value: Json; readonly words: ReadonlySet<string> }) {
  const [isWhole, setWhole] = useState(false);
  if (value === null) return <span class="quiet">null</span>;
  if (typeof value === 'object') return <Folded value={value} />;
  const text = typeof value === 'string' ? visible(instantText(value)) : String(value);
  const shown = isWhole ? text : text.slice(0, LONG_TEXT);
  return (
    <span dir="auto">
      {markedParts(shown, words).map(({ text: part, marked }, at) =>
        marked ? <mark key={at}>{part}</mark> : part,
      )}
      {shown.length < text.length && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          … show all
        </button>
      )}
    </span>
  );
}

import type {
  AggregateResponse,
  FieldDescription,
  IndexDescription,
  ModeRequest,
} from '@lakehouse-search/contract';
import { useRef, useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { changed, hrefOf, type SearchPlace } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { plural } from '../text/figures.ts';
import { replaced } from '../text/filter.ts';
import { instantText } from '../text/values.ts';
import { type Bar, barsOf, boundOf, cutOf } from './buckets.ts';

/** A search whose hits are counted along a field. */
export interface HistogramProps {
  readonly place: SearchPlace;
  readonly description: IndexDescription;
  readonly wanted: ModeRequest;
}

const TYPES = new Set(['DATE', 'LONG', 'DOUBLE']);

/** Fields that a histogram can show; dates first. */
function histogramFields({ fields, key }: IndexDescription): readonly FieldDescription[] {
  const isShown = ({ name, type, fast }: FieldDescription) =>
    fast && TYPES.has(type) && !key.identifier.includes(name);
  return fields
    .filter(isShown)
    .sort((a, b) => Number(b.type === 'DATE') - Number(a.type === 'DATE'));
}

/** The hits along a date or a number: a drag or a click narrows the search to a range. */
export function Histogram({ place, description, wanted }: HistogramProps) {
  const fields = histogramFields(description);
  const first = fields.find(({ type }) => type === 'DATE')?.name ?? '';
  const name = place.histogram ?? first;
  const field = fields.find((one) => one.name === name);
  if (fields.length === 0) return null;
  return (
    <section class="histogram" aria-label="Hits along a field">
      <div class="histogram-options">
        <label>
          Along{' '}
          <select
            value={field?.name ?? ''}
            onChange={({ currentTarget: { value } }) =>
              goTo({ ...place, histogram: value === first ? undefined : value })
            }
          >
            <option value="">nothing</option>
            {fields.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        {field?.type === 'DATE' && <QuickRanges place={place} field={field.name} />}
      </div>
      {field !== undefined && <Bars {...{ place, field, wanted }} />}
    </section>
  );
}

const QUICK: readonly (readonly [words: string, from: string])[] = [
  ['hour', 'now-1h'],
  ['day', 'now-1d'],
  ['week', 'now-1w'],
  ['month', 'now-1M'],
  ['year', 'now-1y'],
];

function QuickRanges({ place, field }: { readonly place: SearchPlace; readonly field: string }) {
  return (
    <span class="quick">
      last{' '}
      {QUICK.map(([words, from]) => {
        const filters = replaced(place.filters, { kind: 'range', field, from });
        return (
          <a key={words} href={hrefOf(changed(place, { filters }))}>
            {words}
          </a>
        );
      })}
    </span>
  );
}

interface BarsProps extends Pick<HistogramProps, 'place' | 'wanted'> {
  readonly field: FieldDescription;
}

function Bars({ place, field, wanted }: BarsProps) {
  const service = useService();
  const { index, query, filter, syntax } = { query: undefined, ...wanted.request };
  // a search by meaning takes its nearest rows; along a field, all that pass its filter count
  const match = { index, query: query ?? '*:*', filter, syntax };
  const answer = useAnswer(JSON.stringify([match, field.name]), (signal) =>
    countedBars(service, field, match, signal),
  );
  const bars = answer.value ?? [];
  if (bars.length === 0) return null;
  return <Chart bars={bars} field={field} place={place} />;
}

/** The bars of the documents of a match: first their least and greatest value, then the counts. */
async function countedBars(
  service: ConsoleService,
  field: FieldDescription,
  match: object,
  signal: AbortSignal,
): Promise<readonly Bar[]> {
  const along = (agg: object): Promise<AggregateResponse> =>
    service.call('aggregate', { ...match, aggs: { along: agg } as never }, signal);
  const { min, max } = (await along({ stats: { field: field.name } })).results.along as {
    readonly min?: number | string | null;
    readonly max?: number | string | null;
  };
  if (min === null || max === null || min === undefined || max === undefined) return [];
  const cut = cutOf(field, Number(min), Number(max));
  const { buckets } = (await along(cut.agg)).results.along as {
    readonly buckets: readonly { readonly key: number | string; readonly doc_count: number }[];
  };
  const counted = buckets.map(({ key, doc_count }) => ({ key: Number(key), doc_count }));
  return barsOf(counted, cut);
}

const HEIGHT = 56;

interface ChartProps {
  readonly bars: readonly Bar[];
  readonly field: FieldDescription;
  readonly place: SearchPlace;
}

function Chart({ bars, field, place }: ChartProps) {
  const { drag, handlers } = useBrush(bars.length, (first, last) => {
    const from = boundOf(bars[first].from, field.type);
    const to = boundOf(bars[last].to, field.type);
    const filters = replaced(place.filters, { kind: 'range', field: field.name, from, to });
    goTo(changed(place, { filters }));
  });
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const sum = bars.reduce((all, bar) => all + bar.count, 0);
  const text = (value: number) => instantText(boundOf(value, field.type));
  const ends = [text(bars[0].from), text(bars[bars.length - 1].to)] as const;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${bars.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(sum, 'hit')} along ${field.name}, from ${ends[0]} to ${ends[1]}`}
        {...handlers}
      >
        {drag !== undefined && (
          <rect class="brush" x={drag[0]} width={drag[1] - drag[0] + 1} height={HEIGHT} />
        )}
        {bars.map((bar, at) => {
          const height = bar.count === 0 ? 0 : Math.max(1, (HEIGHT * bar.count) / most);
          return (
            <g key={bar.from}>
              <rect class="bar" x={at + 0.05} width={0.9} y={HEIGHT - height} height={height} />
              <rect class="whole" x={at} width={1} height={HEIGHT}>
                <title>{`${text(bar.from)} – ${text(bar.to)}: ${plural(bar.count, 'hit')}`}</title>
              </rect>
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </figcaption>
    </figure>
  );
}

/** A drag over bars. `take`: the first and the last one, when it ends. */
function useBrush(size: number, take: (first: number, last: number) => void) {
  const [drag, setDrag] = useState<readonly [number, number]>();
  const begin = useRef<number | undefined>(undefined);
  const barAt = (event: PointerEvent): number => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    return Math.min(size - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * size)));
  };
  const span = (at: number): readonly [number, number] => {
    const first = begin.current ?? at;
    return [Math.min(first, at), Math.max(first, at)];
  };
  const end = () => {
    begin.current = undefined;
    setDrag(undefined);
  };
  const handlers = {
    onPointerDown(event: PointerEvent) {
      begin.current = barAt(event);
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      setDrag(span(begin.current));
    },
    onPointerMove(event: PointerEvent) {
      if (begin.current !== undefined) setDrag(span(barAt(event)));
    },
    onPointerUp(event: PointerEvent) {
      if (begin.current === undefined) return;
      const [first, last] = span(barAt(event));
      end();
      take(first, last);
    },
    onPointerCancel: end,
  };
  return { drag, handlers };
}

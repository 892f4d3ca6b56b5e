/**
 * The fusion that ranks judged searches best: every setting is tried on every search, and its mean
 * nDCG@10 compared. Half of the searches choose the setting, the other half say what it is worth,
 * so that a figure is not the luck of the choice.
 */
import {
  type CallContext,
  type HybridRequest,
  type Judgment,
  LhsError,
  type RehearsedRequest,
} from '@lakehouse-search/contract';
import {
  type BackendApi,
  type FusionDefaults,
  JUDGED_HITS,
  ndcg,
} from '@lakehouse-search/contract/internal';

/** A judged text. */
interface Judged {
  readonly request: HybridRequest;
  readonly judgments: readonly Judgment[];
}

/** A way to fuse, and its mean nDCG@10 over the searches that choose and over the others. */
export interface TunedSetting {
  readonly setting: FusionDefaults;
  readonly chosen_by: number;
  readonly held_out: number;
}

/** What tuning found. */
export interface Tuning {
  readonly queries: number;
  /** Mean nDCG@10 over all searches: of each arm alone, and as the index fuses now. */
  readonly words: number;
  readonly meaning: number;
  readonly now: number;
  readonly best: TunedSetting;
  /** The best setting over all searches. */
  readonly tuned: number;
}

const USUAL_WEIGHT = 0.35;
const WEIGHTS = Array.from({ length: 19 }, (_, i) => (i + 1) / 20).sort(
  (a, b) => Math.abs(a - USUAL_WEIGHT) - Math.abs(b - USUAL_WEIGHT),
);
const DEPTHS = [100, 50, 200];
/** The ordinary ones first: of settings that are as good as each other the first one is taken. */
const SETTINGS: readonly FusionDefaults[] = (['scores', 'rrf'] as const).flatMap((fusion) =>
  DEPTHS.flatMap((depth) => WEIGHTS.map((weight): FusionDefaults => ({ fusion, weight, depth }))),
);
/** A setting is better than another one by this much of nDCG@10 at least. */
const LEAST_GAIN = 0.001;

/** Tries all settings. Throws invalid_argument for searches without judgments, and as a search. */
export async function tuneHybrid(
  backend: BackendApi,
  index: string,
  requests: readonly RehearsedRequest[],
  { signal, progress }: Pick<CallContext, 'signal'> & { progress?: (share: number) => void },
): Promise<Tuning> {
  const judged = requests.map((one, at) => judgedOf(one, at, index));
  if (judged.length < 2) {
    throw new LhsError('invalid_argument', `${judged.length} judged searches: tuning needs 2`, {
      hint: 'one a line: {"request": {"query_text": "…"}, "judgments": [{"key": …, "grade": 1}]}',
    });
  }
  const figures = new Map<FusionDefaults | 'words' | 'meaning' | 'now', readonly number[]>();
  const ways = [...(['words', 'meaning', 'now'] as const), ...SETTINGS];
  for (const [done, way] of ways.entries()) {
    progress?.(done / ways.length);
    const found: number[] = [];
    for (const { request, judgments } of judged) {
      const { hits } = await backend.hybrid({ ...request, ...partOf(way) }, { signal });
      const keys = hits.map(({ coordinates }) => coordinates);
      found.push(ndcg(keys, judgments));
    }
    figures.set(way, found);
  }
  const of = (way: FusionDefaults | 'words' | 'meaning' | 'now') => figures.get(way) ?? [];
  const settings = SETTINGS.map((setting): TunedSetting => {
    const own = of(setting);
    return { setting, chosen_by: mean(own, 0, 2), held_out: mean(own, 1, 2) };
  });
  const best = settings.reduce((a, b) => (b.chosen_by > a.chosen_by + LEAST_GAIN ? b : a));
  return {
    queries: judged.length,
    words: mean(of('words')),
    meaning: mean(of('meaning')),
    now: mean(of('now')),
    best,
    tuned: mean(of(best.setting)),
  };
}

/** The mean of every `step`-th figure from `first` on. */
function mean(all: readonly number[], first = 0, step = 1): number {
  const part = all.filter((_, i) => i % step === first);
  return part.reduce((sum, one) => sum + one, 0) / Math.max(1, part.length);
}

function judgedOf(
  { mode = 'hybrid', request, judgments = [] }: RehearsedRequest,
  at: number,
  index: string,
): Judged {
  const text = 'query_text' in request ? request.query_text : undefined;
  if (mode !== 'hybrid' || text === undefined) {
    throw new LhsError('invalid_argument', `search ${at + 1} has no "query_text"`, {
      hint: 'hybrid searches are tuned: {"request": {"query_text": "…"}, "judgments": […]}',
    });
  }
  if (!judgments.some(({ grade }) => grade > 0)) {
    const message = `search ${at + 1} ("${text}") has no judgment with a grade above 0`;
    throw new LhsError('invalid_argument', message);
  }
  return { request: { ...request, index, limit: JUDGED_HITS, fields: [] }, judgments };
}

function partOf(way: FusionDefaults | 'words' | 'meaning' | 'now'): Partial<HybridRequest> {
  if (way === 'now') return {};
  if (way === 'words') return { weights: { semantic: 0 } };
  if (way === 'meaning') return { weights: { lexical: 0 } };
  const { fusion, weight = 0, depth } = way;
  const lexical = Math.round((1 - weight) * 1000) / 1000;
  return { fusion, k: depth, weights: { lexical, semantic: weight } };
}

/** The line of a definition that sets a fusion. */
export const hybridLine = ({ fusion, weight, depth }: FusionDefaults): string =>
  `hybrid: { fusion: ${fusion}, weight: ${weight}, depth: ${depth} }`;

/** What tuning found, as lines. */
export function tuningLines({ queries, words, meaning, now, best, tuned }: Tuning): string[] {
  const figure = (name: string, value: number) => `  ${name.padEnd(22)} ${value.toFixed(3)}`;
  return [
    `mean nDCG@10 of ${queries} judged searches`,
    figure('words alone', words),
    figure('meaning alone', meaning),
    figure('fused as now', now),
    figure('fused as tuned', tuned),
    figure('on searches held out', best.held_out),
    hybridLine(best.setting),
  ];
}

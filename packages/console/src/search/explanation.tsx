import type {
  Coordinates,
  ExplainArm,
  ExplainDetail,
  ExplainResponse,
  ModeRequest,
  WhyNot,
} from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { Answered } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { count } from '../text/figures.ts';
import { explainRequest } from './search-request.ts';

/** Why a search finds a row: its score as a tree of clauses, or the reason why it does not. */
export function Explanation({
  wanted,
  coordinates,
}: {
  readonly wanted: ModeRequest;
  readonly coordinates: Coordinates;
}) {
  const service = useService();
  const request = explainRequest(wanted, coordinates);
  const answer = useAnswer(JSON.stringify(request), (signal) =>
    service.call('explain', request, signal),
  );
  return <Answered answer={answer}>{(found) => <Explained found={found} />}</Answered>;
}

/** An explanation that has arrived. */
export function Explained({ found }: { readonly found: ExplainResponse }) {
  const { matched, rank, total, score, detail, arms, why_not, analyzed } = found;
  return (
    <div class="explained">
      <p>
        {matched ? 'It matches' : 'It does not match'}
        {rank !== undefined && `: rank ${count(rank)}`}
        {rank !== undefined && total !== undefined && ` of ${count(total)}`}
        {matched && score !== undefined && `, score ${score.toFixed(4)}`}
      </p>
      {why_not !== undefined && <Reason whyNot={why_not} />}
      {detail !== undefined && <Tree details={[detail]} />}
      {arms?.lexical !== undefined && <Arm name="By words" arm={arms.lexical} />}
      {arms?.semantic !== undefined && <Arm name="By meaning" arm={arms.semantic} />}
      {analyzed.length > 0 && (
        <p class="quiet">
          terms: {analyzed.map(({ field, terms }) => `${field}: ${terms.join(', ')}`).join(' · ')}
        </p>
      )}
    </div>
  );
}

function Tree({ details }: { readonly details: readonly ExplainDetail[] }) {
  return (
    <ul class="tree">
      {details.map((detail, at) => (
        <li key={at}>
          <span class="score">{detail.score.toFixed(4)}</span> {detail.description}
          {detail.details.length > 0 && <Tree details={detail.details} />}
        </li>
      ))}
    </ul>
  );
}

function Arm({ name, arm }: { readonly name: string; readonly arm: ExplainArm }) {
  const { rank, score, similarity, detail, why_not } = arm;
  const facts = [
    ...(rank === undefined ? [] : [`rank ${count(rank)}`]),
    ...(score === undefined ? [] : [`score ${score.toFixed(4)}`]),
    ...(similarity === undefined ? [] : [`similarity ${similarity.toFixed(4)}`]),
    ...(why_not === undefined ? [] : [why_not]),
  ];
  return (
    <>
      <h3>{name}</h3>
      <p>{facts.join(' · ')}</p>
      {detail !== undefined && <Tree details={[detail]} />}
    </>
  );
}

function Reason({ whyNot: { message, would_match, change } }: { readonly whyNot: WhyNot }) {
  return (
    <>
      <p>{message}</p>
      {would_match !== undefined && (
        <p class="quiet">
          With {change ?? 'a change'} it would match: <code>{would_match}</code>
        </p>
      )}
    </>
  );
}

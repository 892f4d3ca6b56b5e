import type { AlterPlan, Rehearsal } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useMayCall, useService } from '../parts/console-context.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered } from '../parts/screen.tsx';
import { useAction } from '../parts/use-action.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { goTo } from '../place/use-place.ts';
import type { ServiceError } from '../service/service-error.ts';
import { bytes, count, plural } from '../text/figures.ts';
import { valueText } from '../text/values.ts';

/** The definition of an index as YAML, and what a change of it costs. */
export function DefinitionEditor({ index }: { readonly index: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Definition as YAML</summary>
      {isOpen && <LoadedEditor index={index} />}
    </details>
  );
}

function LoadedEditor({ index }: { readonly index: string }) {
  const service = useService();
  const answer = useAnswer(index, (signal) => service.call('getDefinition', { index }, signal));
  return (
    <Answered answer={answer}>
      {({ definition }) => <Editor index={index} definition={definition} />}
    </Answered>
  );
}

interface EditorProps {
  readonly index: string;
  /** The definition in force. */
  readonly definition: string;
}

function Editor({ index, definition }: EditorProps) {
  const service = useService();
  const mayCall = useMayCall();
  const action = useAction();
  const [text, setText] = useState(definition);
  const [rehearsal, setRehearsal] = useState<Rehearsal>();
  const request = { index, definition_yaml: text };
  const plan = useAnswer(text === definition ? undefined : text, (signal) =>
    service.call('alterIndex', request, signal),
  );
  const rehearse = () =>
    action.run(async () => setRehearsal(await service.call('rehearseAlter', request)));
  const apply = () =>
    confirm(`Apply this definition to "${index}"? Searches go on meanwhile.`) &&
    action.run(async () => {
      const job = { kind: 'alter', ...request, apply: true } as const;
      goTo({ screen: 'job', job: (await service.call('startJob', job)).job_id });
    });
  const isPlanned = plan.value !== undefined && plan.error === undefined && !plan.value.is_noop;
  return (
    <div class="exchange">
      <textarea
        aria-label={`Definition of ${index}`}
        rows={24}
        spellcheck={false}
        readOnly={!mayCall('alterIndex')}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setRehearsal(undefined);
        }}
      />
      <section aria-label="What the change does" aria-live="polite">
        {text === definition && <p class="quiet">Change the text to see what that would cost.</p>}
        {plan.error !== undefined && <Issues error={plan.error} />}
        {plan.value !== undefined && plan.error === undefined && <Plan plan={plan.value} />}
        {isPlanned && (
          <p>
            <button type="button" disabled={action.isRunning} onClick={rehearse}>
              Rehearse
            </button>{' '}
            <button type="button" class="main" disabled={action.isRunning} onClick={apply}>
              Apply
            </button>
          </p>
        )}
        {action.error !== undefined && <Problem error={action.error} />}
        {rehearsal !== undefined && <Rehearsed rehearsal={rehearsal} />}
      </section>
    </div>
  );
}

/** The errors of a definition with their lines and columns. */
function Issues({ error }: { readonly error: ServiceError }) {
  const { issues = [] } = error.details;
  if (issues.length === 0) return <Problem error={error} />;
  return (
    <ul class="bad">
      {issues.map(({ line, column, message }) => (
        <li key={`${line}:${column} ${message}`}>
          line {line}, column {column}: {message}
        </li>
      ))}
    </ul>
  );
}

const STRATEGIES: Readonly<Record<AlterPlan['strategy'], string>> = {
  none: 'Both definitions mean the same.',
  live: 'It is in force at once.',
  field: 'The changed fields alone are built.',
  reindex: 'The index is built again from its table.',
};

function Plan({ plan }: { readonly plan: AlterPlan }) {
  const { strategy, changes, field_cost, reindex_cost } = plan;
  const cost = field_cost ?? reindex_cost;
  return (
    <>
      <p>
        <strong>{STRATEGIES[strategy]}</strong>
        {cost !== undefined && ` It reads ${plural(cost.rows, 'row')}, ${bytes(cost.bytes)}`}
        {cost !== undefined && cost.texts > 0 && `, and embeds ${plural(cost.texts, 'text')}`}
      </p>
      <DataTable
        caption="Changes"
        rows={changes}
        keyOf={({ setting }) => setting}
        empty=""
        columns={[
          { head: 'Setting', cell: ({ setting }) => <code>{setting}</code> },
          { head: 'From', cell: ({ from }) => valueText(from) },
          { head: 'To', cell: ({ to }) => valueText(to) },
          { head: 'How', cell: ({ strategy: how, reason }) => `${how}: ${reason}` },
        ]}
      />
    </>
  );
}

/** Searches under both definitions, side by side. */
function Rehearsed({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const { rows, from, to, queries, overlap } = rehearsal;
  return (
    <>
      <p>
        Rehearsed over {plural(rows, 'row')}: {bytes(from.bytes)} → {bytes(to.bytes)}
        {overlap !== null && ` · ${count(100 * overlap)} % of the first ten hits stay`}
      </p>
      <DataTable
        caption="Rehearsed queries"
        rows={queries}
        keyOf={({ mode, query }) => `${mode} ${query}`}
        empty="You have no saved query of this index: save one to compare its hits."
        columns={[
          { head: 'Query', cell: ({ query, error }) => error ?? <code>{query}</code> },
          {
            head: 'Same hits',
            isFigure: true,
            cell: (one) => `${count(100 * one.overlap)} %`,
          },
          { head: 'New', isFigure: true, cell: ({ entered }) => count(entered.length) },
          { head: 'Gone', isFigure: true, cell: ({ left }) => count(left.length) },
          { head: 'Ranks moved', isFigure: true, cell: ({ moved }) => moved.toFixed(1) },
        ]}
      />
    </>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Problem } from './problem.tsx';
import type { Answer } from './use-answer.ts';

/** A screen with its heading, which is the title of the tab too. */
export function Screen({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · lhs`;
  }, [title]);
  return (
    <main id="main">
      <h1>{title}</h1>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </main>
  );
}

/** An answer, its error, or the word that it is on its way. */
export function Answered<T>({
  answer: { value, error, isLoading, again },
  children,
}: {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      {error !== undefined && <Problem error={error} again={again} />}
      {value !== undefined && children(value)}
      {value === undefined && isLoading && (
        <p class="quiet" role="status">
          loading …
        </p>
      )}
    </>
  );
}

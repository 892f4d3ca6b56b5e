import type { Highlight } from '@lakehouse-search/contract';
import { visible } from '../text/visible.ts';

/** A fragment of a document. Its texts are foreign: they are text nodes, never markup. */
export function Highlighted({ fragment }: { readonly fragment: Highlight[string][number] }) {
  return fragment.map(({ text, marked }) =>
    marked ? <mark>{visible(text)}</mark> : visible(text),
  );
}
